--[[ ledger_open.lua — set the limits of a dataset's ledger; what was spent stays.

  WHY LUA   a stale curator must not bring back limits that the operator has changed,
            and what is spent in one measure must never be read in another.
  MODEL     sigmacount.models.ledger.Ledger; tests/contracts/test_ledger.py

  KEYS[1]   sigma:{<ds>:ledger}:fence   string   newest curator token
  KEYS[2]   sigma:{<ds>:ledger}:state   hash     measure, limit, quota, cap:…, spent,
                                                 head, apart:limit …

  ARGV[1]   token   decimal; of the curator's lease
  ARGV[2]   head    hex; what the first line is chained to
  ARGV[3]   limit   decimal, units of the measure
  ARGV[4]   quota   decimal, of each client; or empty: none
  ARGV[5]   measure epsilon (µε) or rho (1e-12 ρ); of the dataset's whole life
  ARGV[6]   apart   decimal µε, limit of surcharges; or empty: no purse of its own
  ARGV[7]   quota   decimal µε, of each client's surcharges; or empty: none
  ARGV[8…]  field   for each capped purpose in turn: cap:… or apart:cap:… with its
            cap     name, then a decimal

  RETURNS   { 'ok' }
            { 'fenced' }          nothing written
            { 'measure', held }   the ledger is kept in that one; nothing written
  COST      O(purposes).
]]
local fence, state = KEYS[1], KEYS[2]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', fence) or '0') then
  return { 'fenced' }
end
if redis.call('HGET', state, 'head') then
  -- A ledger of an older version: there was no other measure then.
  local held = redis.call('HGET', state, 'measure') or 'epsilon'
  if held ~= ARGV[5] then
    return { 'measure', held }
  end
end
redis.call('SET', fence, ARGV[1])
redis.call('HSET', state, 'measure', ARGV[5])
redis.call('HSETNX', state, 'head', ARGV[2])
redis.call('HSETNX', state, 'spent', '0')
redis.call('HSETNX', state, 'repeated', '0')
-- A ledger of an older version: only epochs were surcharged then.
local before = redis.call('HGET', state, 'spent:epoch') or '0'
redis.call('HSETNX', state, 'surcharged', before)
redis.call('HSET', state, 'limit', ARGV[3], 'quota', ARGV[4])
for _, name in ipairs(redis.call('HKEYS', state)) do
  if string.match(name, '^cap:') or string.match(name, '^apart:cap:') then
    redis.call('HDEL', state, name)
  end
end
if ARGV[6] ~= '' then
  redis.call('HSET', state, 'apart:limit', ARGV[6], 'apart:quota', ARGV[7])
end
for i = 8, #ARGV, 2 do
  redis.call('HSET', state, ARGV[i], ARGV[i + 1])
end
return { 'ok' }
