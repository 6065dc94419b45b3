--[[ charge.lua — grant one charge, once, within all limits, chained to the last line.

  WHY LUA   compare and add must be one step: two who ask at once must not both be
            granted what is left for one.
  MODEL     sigmacount.models.ledger.Ledger.charge; tests/contracts/test_ledger.py

  KEYS[1]   sigma:{<ds>:ledger}:fence     string   newest curator token
  KEYS[2]   sigma:{<ds>:ledger}:state     hash     measure, limit, quota, cap:…,
                                                   spent, spent:…, repeated,
                                                   surcharged, head; under rho
                                                   apart:limit, apart:quota,
                                                   apart:cap:…, apart:spent:…
  KEYS[3]   sigma:{<ds>:ledger}:entries   list     one JSON text for each charge
  KEYS[4]   sigma:{<ds>:ledger}:seen      hash     charge id → what it charged
  KEYS[5]   sigma:{<ds>:ledger}:clients   hash     client → spent
  KEYS[6]   sigma:{<ds>:ledger}:surcharged  hash   client → µε, of a ledger of ρ

  ARGV[1]   token      decimal; of the curator's lease
  ARGV[2]   charge id  of the act that is paid for
  ARGV[3]   asked      decimal, units of its measure
  ARGV[4]   purpose    whose cap and subtotal it touches
  ARGV[5]   client     '=' and the name whose quota it touches; or empty: none
  ARGV[6]   repeats    decimal, price of noise shown again; above 0 it is a surcharge,
                       which a ledger of ρ pays in µε, from a purse of its own
  ARGV[7]   before     hex; the head that the new line is chained to
  ARGV[8]   after      hex; the head with the new line
  ARGV[9]   entry      JSON text of the new line
  ARGV[10]  measure    epsilon (µε) or rho (1e-12 ρ); of what is asked

  RETURNS   { 'ok', left, asked }           granted now; left of the purse's limit
            { 'again', left, asked }        granted earlier, at this price
            { 'refused', limit, left }      limit: dataset, purpose or client, of the
                                            purse of surcharges: 'surcharges of …'
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
local held = redis.call('HGET', state, 'measure') or 'epsilon' -- an older version
local note = purpose == 'rule' or purpose == 'plan' -- they cost nothing
local surcharge = ARGV[6] ~= '0'
local apart = surcharge and held == 'rho'
local of = apart and 'apart:' or ''
local total = apart and 'surcharged' or 'spent'
local by_client = apart and KEYS[6] or KEYS[5]
local now = redis.call('HMGET', state, of .. 'limit', total, 'head', of .. 'quota',
  of .. 'cap:' .. purpose, of .. 'spent:' .. purpose, 'limit')
if not now[7] then
  return { 'unopened' }
end
if ARGV[10] ~= (surcharge and 'epsilon' or held) and not note then
  return { 'measure', held }
end
local left = tonumber(now[1] or '0') - tonumber(now[2] or '0')
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

local function refused(limit, rest)
  return { 'refused', (apart and 'surcharges of ' or '') .. limit, decimal(rest) }
end
if asked > left and not note then
  return refused('dataset', left)
end
if now[5] and not note then
  local rest = tonumber(now[5]) - tonumber(now[6] or '0')
  if asked > rest then
    return refused('purpose', rest)
  end
end
if client ~= '' and (now[4] or '') ~= '' then
  local rest = tonumber(now[4])
    - tonumber(redis.call('HGET', by_client, string.sub(client, 2)) or '0')
  if asked > rest then
    return refused('client', rest)
  end
end
if now[3] ~= ARGV[7] then
  return { 'moved', now[3] }
end

redis.call('HINCRBY', state, 'repeated', ARGV[6]) -- alone in being able to overflow
redis.call('SET', fence, ARGV[1])
redis.call('HINCRBY', state, total, ARGV[3])
if not note then
  redis.call('HINCRBY', state, of .. 'spent:' .. purpose, ARGV[3])
end
if surcharge and not apart then
  redis.call('HINCRBY', state, 'surcharged', ARGV[3])
end
redis.call('HSET', state, 'head', ARGV[8])
redis.call('RPUSH', KEYS[3], ARGV[9])
redis.call('HSET', KEYS[4], id, ARGV[3] .. '|' .. request)
if client ~= '' then
  redis.call('HINCRBY', by_client, string.sub(client, 2), ARGV[3])
end
return { 'ok', decimal(left - asked), ARGV[3] }
