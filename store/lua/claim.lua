--[[ claim.lua — take over one partition of the rows, or refuse a stranger.

  WHY LUA   compare the identity, create what is missing and raise the fence: one step.
  MODEL     sigmacount.models.rows.RowPartition.claim; tests/contracts/test_rows.py

  KEYS[1]   sigma:{<ds>:rows:<p>}:meta   hash   identity, fence, next, last, generation,
                                                limit, settled, told

  ARGV[1]   topic id       as Kafka names it, or empty where it has none
  ARGV[2]   cluster id     as Kafka names it
  ARGV[3]   partitions     decimal; of the rows topic
  ARGV[4]   fingerprint    of the schema that gives the cell codes their meaning
  ARGV[5]   start          decimal offset; where a partition without history begins
  ARGV[6]   limit          decimal, how often a row may change, or 'none'

  RETURNS   { 'ok', token, next, applied_ms, generation, settled, told }
                                            decimals, applied_ms or ''
            { 'mismatch', field, stored }   nothing written; 'limit': it was lowered,
                                            left out, or comes after rows were counted
  COST      O(1).
]]
local meta = KEYS[1]
local offered = {
  { 'topic_id', ARGV[1] },
  { 'cluster_id', ARGV[2] },
  { 'partitions', ARGV[3] },
  { 'fingerprint', ARGV[4] },
}

-- What was counted without a limit has none; one that there is may only rise. Empty: a
-- partition that was emptied before anybody claimed it.
local function admits(stored, limit)
  if stored == '' or stored == limit then
    return true
  end
  local least, asked = tonumber(stored), tonumber(limit)
  return least ~= nil and asked ~= nil and asked >= least
end
if redis.call('EXISTS', meta) == 0 then
  redis.call('HSET', meta, 'token', '0', 'next', ARGV[5], 'last', '0-0',
    'generation', '1', 'applied_ms', '')
  for _, pair in ipairs(offered) do
    redis.call('HSET', meta, pair[1], pair[2])
  end
else
  for _, pair in ipairs(offered) do
    local stored = redis.call('HGET', meta, pair[1]) or ''
    if stored ~= pair[2] then
      return { 'mismatch', pair[1], stored }
    end
  end
  local limit = redis.call('HGET', meta, 'limit') or 'none'
  if not admits(limit, ARGV[6]) then
    return { 'mismatch', 'limit', limit }
  end
end
redis.call('HSET', meta, 'limit', ARGV[6])
redis.call('HINCRBY', meta, 'token', 1)
local now = redis.call('HMGET', meta, 'token', 'next', 'applied_ms', 'generation',
  'settled', 'told')
return { 'ok', now[1], now[2], now[3] or '', now[4], now[5] or '0', now[6] or '0' }
