--[[ rebuild.lua — start one partition anew: no rows, no counts, a new generation.

  WHY LUA   a follower must see either the old partition whole or the empty new one.
  MODEL     sigmacount.models.rows.RowPartition.rebuild;
            tests/contracts/test_rows.py

  KEYS[1]   sigma:{<ds>:rows:<p>}:meta    hash    identity, fence, next, generation
  KEYS[2]   sigma:{<ds>:rows:<p>}:rows    hash    dropped
  KEYS[3]   sigma:{<ds>:rows:<p>}:cells   hash    dropped
  KEYS[4]   sigma:{<ds>:rows:<p>}:log     stream  dropped

  ARGV[1]   token         decimal; or empty: an operator does it over the owner's head
  ARGV[2]   start         decimal offset; where the new generation begins
  ARGV[3]   topic id      of the new identity; ARGV[3] to ARGV[6] are all empty to keep
  ARGV[4]   cluster id    the same
  ARGV[5]   partitions    the same
  ARGV[6]   fingerprint   the same

  RETURNS   { 'ok', token, next, '', generation }  a new claim: older owners are fenced
            { 'fenced' }                           nothing written
  COST      O(1) here; memory is freed in the background.
]]
local meta = KEYS[1]
if ARGV[1] ~= '' and redis.call('HGET', meta, 'token') ~= ARGV[1] then
  return { 'fenced' }
end
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
redis.call('HSET', meta, 'next', ARGV[2], 'last', '0-0', 'applied_ms', '')
if ARGV[6] ~= '' then
  redis.call('HSET', meta, 'topic_id', ARGV[3], 'cluster_id', ARGV[4],
    'partitions', ARGV[5], 'fingerprint', ARGV[6])
end
local token = redis.call('HINCRBY', meta, 'token', 1)
local generation = redis.call('HINCRBY', meta, 'generation', 1)
return { 'ok', tostring(token), ARGV[2], '', tostring(generation) }
