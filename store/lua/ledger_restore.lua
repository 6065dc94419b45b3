--[[ ledger_restore.lua — the ledger has exactly these lines; its limits stay.

  WHY LUA   lines, totals, ids and quotas must change as one: a reader between two of
            them would find a chain that does not add up.
  MODEL     sigmacount.models.ledger.Ledger.restore;
            tests/contracts/test_ledger_restore.py

  KEYS[1]   sigma:{<ds>:ledger}:fence     string   newest curator token
  KEYS[2]   sigma:{<ds>:ledger}:state     hash     measure, limit, quota, cap:…,
                                                   spent, spent:…, repeated,
                                                   surcharged, head, apart:…
  KEYS[3]   sigma:{<ds>:ledger}:entries   list     one JSON text for each charge
  KEYS[4]   sigma:{<ds>:ledger}:seen      hash     charge id → what it charged
  KEYS[5]   sigma:{<ds>:ledger}:clients   hash     client → spent
  KEYS[6]   sigma:{<ds>:ledger}:surcharged  hash   client → µε, of a ledger of ρ

  ARGV[1]   token    decimal; of the curator's lease, which the operator holds
  ARGV[2]   length   decimal; how many lines there were when they were looked at
  ARGV[3]   head     hex; the state's head at that time, or empty: there was none
  ARGV[4]   after    hex; the head with all lines
  ARGV[5]   measure  epsilon or rho; of the ledger of all lines, or empty: none of
                     them tells, as they are notes and surcharges
  ARGV[6…]  entry    JSON text of each line, oldest first

  RETURNS   { 'ok' }
            { 'moved' }           the ledger is another than was looked at
            { 'measure', held }   the ledger is kept in that one
            { 'fenced' }          a newer curator; all but 'ok' change nothing
  COST      O(lines). A ledger that was never opened gets a limit of 0: it grants
            nothing until a curator opens it.
]]
local fence, state = KEYS[1], KEYS[2]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', fence) or '0') then
  return { 'fenced' }
end
local head = redis.call('HGET', state, 'head') or ''
if redis.call('LLEN', KEYS[3]) ~= tonumber(ARGV[2]) or head ~= ARGV[3] then
  return { 'moved' }
end
local held = redis.call('HGET', state, 'measure') or 'epsilon'
if head ~= '' and ARGV[5] ~= '' and held ~= ARGV[5] then
  return { 'measure', held }
end
redis.call('SET', fence, ARGV[1])
if ARGV[5] ~= '' then
  held = ARGV[5]
  redis.call('HSET', state, 'measure', ARGV[5])
end
redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5], KEYS[6])
for _, name in ipairs(redis.call('HKEYS', state)) do
  if string.match(name, '^spent:') or string.match(name, '^apart:spent:') then
    redis.call('HDEL', state, name)
  end
end
redis.call('HSET', state, 'head', ARGV[4], 'spent', '0', 'repeated', '0',
  'surcharged', '0')
redis.call('HSETNX', state, 'limit', '0')
redis.call('HSETNX', state, 'quota', '')
for i = 6, #ARGV do
  local charge = cjson.decode(ARGV[i]).charge
  local asked = string.format('%.0f', charge.asked)
  local repeats = string.format('%.0f', charge.repeats)
  local apart = held == 'rho' and repeats ~= '0'
  local client = ''
  if charge.client ~= cjson.null then
    client = '=' .. charge.client
    redis.call('HINCRBY', apart and KEYS[6] or KEYS[5], charge.client, asked)
  end
  if not apart then
    redis.call('HINCRBY', state, 'spent', asked)
  end
  if charge.purpose ~= 'rule' and charge.purpose ~= 'plan' then -- they cost nothing
    local field = (apart and 'apart:spent:' or 'spent:') .. charge.purpose
    redis.call('HINCRBY', state, field, asked)
  end
  redis.call('HINCRBY', state, 'repeated', repeats)
  if repeats ~= '0' then
    redis.call('HINCRBY', state, 'surcharged', asked)
  end
  redis.call('RPUSH', KEYS[3], ARGV[i])
  redis.call('HSET', KEYS[4], charge.charge_id,
    asked .. '|' .. table.concat({ charge.purpose, repeats, client }, '|'))
end
return { 'ok' }
