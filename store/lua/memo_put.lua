--[[ memo_put.lua — remember answers to fresh queries, for this epoch only.

  WHY LUA   an answer of one epoch must never be served as one of the next.
  MODEL     sigmacount.models.shelf.Shelf.remember; tests/contracts/test_released.py

  KEYS[1]   sigma:{<ds>:rel}:fence          string   newest curator token
  KEYS[2]   sigma:{<ds>:rel}:head           hash     epoch
  KEYS[3]   sigma:{<ds>:rel}:memo:<epoch>   hash     canonical query → answer

  ARGV[1]   token    decimal; of the curator's lease
  ARGV[2]   epoch    decimal; of the answers
  ARGV[3…]  key      for each answer in turn: its canonical query,
            answer   then a JSON text; it replaces an earlier one,
                     which a question for more accuracy was answered after

  RETURNS   { 'ok' }
            { 'fenced' }         nothing written
            { 'moved', epoch }   the head is another; nothing written
  COST      O(answers).
]]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[1]) or '0') then
  return { 'fenced' }
end
local stored = redis.call('HGET', KEYS[2], 'epoch') or ''
if stored ~= ARGV[2] then
  return { 'moved', stored }
end
redis.call('SET', KEYS[1], ARGV[1])
for i = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
end
return { 'ok' }
