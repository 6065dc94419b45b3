--[[ charge.lua — grant one charge, once, within all limits, chained to the last line.

  WHY LUA   compare and add must be one step: two who ask at once must not both be
            granted what is left for one.
  MODEL     sigmacount.models.ledger.Ledger.charge; tests/contracts/test_ledger.py

  KEYS[1]   sigma:{<ds>:ledger}:fence     string   newest curator token
  KEYS[2]   sigma:{<ds>:ledger}:state     hash     measure, limit, quota, cap:…,
                                                   spent, spent:…, repeated,
                                                   surcharged, head
  KEYS[3]   sigma:{<ds>:ledger}:entries   list     one JSON text for each charge
  KEYS[4]   sigma:{<ds>:ledger}:seen      hash     charge id → what it charged
  KEYS[5]   sigma:{<ds>:ledger}:clients   hash     client → spent

  ARGV[1]   token      decimal; of the curator's lease
  ARGV[2]   charge id  of the act that is paid for
  ARGV[3]   asked      decimal, units of the measure
  ARGV[4]   purpose    whose cap and subtotal it touches
  ARGV[5]   client     '=' and the name whose quota it touches; or empty: none
  ARGV[6]   repeats    decimal, price of noise shown again
  ARGV[7]   before     hex; the head that the new line is chained to
  ARGV[8]   after      hex; the head with the new line
  ARGV[9]   entry      JSON text of the new line
  ARGV[10]  measure    epsilon (µε) or rho (1e-12 ρ); of the amounts

  RETURNS   { 'ok', left, asked }           granted now; left of the dataset's limit
            { 'again', left, asked }        granted earlier, at this price
            { 'refused', limit, left }      limit: dataset, purpose or client
            { 'conflict' }                  the id paid for something else
            { 'moved', head }               chained to another line; ask again
            { 'unopened' }                  no limit was ever set
            { 'measure', held }             the ledger is kept in another measure
            { 'fenced' }                    a newer curator; all but 'ok' change nothing
  COST      O(1). A refusal is looked for before the chain is: spending only grows, so
            it holds whatever was granted in between.
]]
local fence, state = KEYS[1], KEYS[2]
local id, asked, purpose, client = ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local newest = redis.call('GET', fence) or '0'
if tonumber(ARGV[1]) < tonumber(newest) then
  return { 'fenced' }
end
local now = redis.call('HMGET', state, 'limit', 'spent', 'head', 'quota',
  'cap:' .. purpose, 'spent:' .. purpose, 'measure')
if not now[1] then
  return { 'unopened' }
end
local note = purpose == 'rule' or purpose == 'plan' -- they cost nothing
local held = now[7] or 'epsilon' -- an older version knew no other
if held ~= ARGV[10] and not note then
  return { 'measure', held }
end
local left = tonumber(now[1]) - tonumber(now[2])
local function decimal(number)
  return string.format('%.0f', number)
end

local request = table.concat({ purpose, ARGV[6], client }, '|')
local seen = redis.call('HGET', KEYS[4], id)
if seen then
  local paid, earlier = string.match(seen, '^(%d+)|(.*)$')
  if earlier ~= request or (ARGV[6] == '0' and paid ~= ARGV[3]) then
    return { 'conflict' }
  end
  -- Changes nothing, but the caller waits for this write to reach the disk, and with
  -- it the line that was written before.
  redis.call('SET', fence, newest)
  return { 'again', decimal(left), paid }
end

if asked > left and not note then
  return { 'refused', 'dataset', decimal(left) }
end
if now[5] and not note then
  local rest = tonumber(now[5]) - tonumber(now[6] or '0')
  if asked > rest then
    return { 'refused', 'purpose', decimal(rest) }
  end
end
if client ~= '' and now[4] ~= '' then
  local rest = tonumber(now[4])
    - tonumber(redis.call('HGET', KEYS[5], string.sub(client, 2)) or '0')
  if asked > rest then
    return { 'refused', 'client', decimal(rest) }
  end
end
if now[3] ~= ARGV[7] then
  return { 'moved', now[3] }
end

redis.call('HINCRBY', state, 'repeated', ARGV[6]) -- alone in being able to overflow
redis.call('SET', fence, ARGV[1])
redis.call('HINCRBY', state, 'spent', ARGV[3])
if not note then
  redis.call('HINCRBY', state, 'spent:' .. purpose, ARGV[3])
end
if ARGV[6] ~= '0' then
  redis.call('HINCRBY', state, 'surcharged', ARGV[3])
end
redis.call('HSET', state, 'head', ARGV[8])
redis.call('RPUSH', KEYS[3], ARGV[9])
redis.call('HSET', KEYS[4], id, ARGV[3] .. '|' .. request)
if client ~= '' then
  redis.call('HINCRBY', KEYS[5], string.sub(client, 2), ARGV[3])
end
return { 'ok', decimal(left - asked), ARGV[3] }
