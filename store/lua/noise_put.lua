--[[ noise_put.lua — keep noise for good; what was drawn first stays.

  WHY LUA   two curators may both have drawn for one unit: the first to arrive wins,
            and a stale one writes nothing.
  MODEL     sigmacount.models.vault.Vault.put; tests/contracts/test_noise.py

  KEYS[1]   sigma:{<ds>:noise}:fence               string   newest curator token
  KEYS[2…]  sigma:{<ds>:noise}:unit:<unit>:<gen>   hash     array, key, made

  ARGV[1]   token    decimal; of the curator's lease
  ARGV[2…]  array    for each unit in turn: the packed array,
            key      then 32 random bytes, with which it is committed to,
            made     then a JSON text that says when and for what it was drawn

  RETURNS   { 'ok', held… }   for each unit '' where the offered array is now kept,
                              or else the array that was there before; its key
                              stays, too, unless it had none
            { 'fenced' }      nothing written
  COST      O(units + bytes).
]]
local fence = KEYS[1]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', fence) or '0') then
  return { 'fenced' }
end
-- Also where all are there already: the caller waits for this write to reach the disk.
redis.call('SET', fence, ARGV[1])
local reply = { 'ok' }
for i = 2, #KEYS do
  local held = redis.call('HGET', KEYS[i], 'array')
  if held then
    redis.call('HSETNX', KEYS[i], 'key', ARGV[3 * i - 3])
    reply[i] = held
  else
    redis.call('HSET', KEYS[i], 'array', ARGV[3 * i - 4], 'key', ARGV[3 * i - 3],
      'made', ARGV[3 * i - 2])
    reply[i] = ''
  end
end
return reply
