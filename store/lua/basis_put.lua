--[[ basis_put.lua — keep what the coming epoch is made of, beside that of the served.

  WHY LUA   a stale curator must not replace what a newer one has written, and the two
            that are kept must be there whichever of the two epochs is served.
  MODEL     sigmacount.models.basis.BasesModel.put; tests/contracts/test_basis.py

  KEYS[1]   sigma:{<ds>:rows}:fence   string   newest curator token
  KEYS[2]   sigma:{<ds>:rows}:basis   hash     epoch → what it was made of

  ARGV[1]   token    decimal; of the curator's lease
  ARGV[2]   served   decimal; the epoch that is served
  ARGV[3]   epoch    decimal; the one that is about to be
  ARGV[4]   basis    JSON text

  RETURNS   { 'ok' }
            { 'fenced' }   nothing written
  COST      O(1): at most two are held.
]]
local fence, held = KEYS[1], KEYS[2]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', fence) or '0') then
  return { 'fenced' }
end
redis.call('SET', fence, ARGV[1])
for _, epoch in ipairs(redis.call('HKEYS', held)) do
  if epoch ~= ARGV[2] then
    redis.call('HDEL', held, epoch)
  end
end
redis.call('HSET', held, ARGV[3], ARGV[4])
return { 'ok' }
