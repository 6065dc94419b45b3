--[[ ledger_open.lua — set the limits of a dataset's ledger; what was spent stays.

  WHY LUA   a stale curator must not bring back limits that the operator has changed.
  MODEL     sigmacount.models.ledger.Ledger; tests/contracts/test_ledger.py

  KEYS[1]   sigma:{<ds>:ledger}:fence   string   newest curator token
  KEYS[2]   sigma:{<ds>:ledger}:state   hash     limit, quota, cap:…, spent, head …

  ARGV[1]   token   decimal; of the curator's lease
  ARGV[2]   head    hex; what the first line is chained to
  ARGV[3]   limit   decimal, µε
  ARGV[4]   quota   decimal, µε, of each client; or empty: none
  ARGV[5…]  purpose for each capped purpose in turn: its name,
            cap     then a decimal, µε

  RETURNS   { 'ok' }
            { 'fenced' }   nothing written
  COST      O(purposes).
]]
local fence, state = KEYS[1], KEYS[2]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', fence) or '0') then
  return { 'fenced' }
end
redis.call('SET', fence, ARGV[1])
redis.call('HSETNX', state, 'head', ARGV[2])
redis.call('HSETNX', state, 'spent', '0')
redis.call('HSETNX', state, 'repeated', '0')
-- A ledger of an older version: only epochs were surcharged then.
local before = redis.call('HGET', state, 'spent:epoch') or '0'
redis.call('HSETNX', state, 'surcharged', before)
redis.call('HSET', state, 'limit', ARGV[3], 'quota', ARGV[4])
for _, name in ipairs(redis.call('HKEYS', state)) do
  if string.sub(name, 1, 4) == 'cap:' then
    redis.call('HDEL', state, name)
  end
end
for i = 5, #ARGV, 2 do
  redis.call('HSET', state, 'cap:' .. ARGV[i], ARGV[i + 1])
end
return { 'ok' }
