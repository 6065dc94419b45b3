--[[ freeze.lua — say that the epoch that is served will not be followed for now.

  WHY LUA   only the newest curator may say so, and only of the head it knows.
  MODEL     sigmacount.models.shelf.Shelf.freeze; tests/contracts/test_released.py

  KEYS[1]   sigma:{<ds>:rel}:fence   string   newest curator token
  KEYS[2]   sigma:{<ds>:rel}:head    hash     epoch, frozen

  ARGV[1]   token    decimal; of the curator's lease
  ARGV[2]   epoch    decimal; the head's
  ARGV[3]   reason   for people; empty: not frozen any more

  RETURNS   { 'ok' }
            { 'fenced' }         nothing written
            { 'moved', epoch }   the head is another; nothing written
  COST      O(1).
]]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[1]) or '0') then
  return { 'fenced' }
end
local stored = redis.call('HGET', KEYS[2], 'epoch') or ''
if stored ~= ARGV[2] then
  return { 'moved', stored }
end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[2], 'frozen', ARGV[3])
return { 'ok' }
