--[[ trail_put.lua — keep a summary of the audit trail in the place of the one before.

  WHY LUA   a stale curator must not replace what a newer one has read.
  MODEL     sigmacount.models.basis.SummaryModel.put; tests/contracts/test_trail_put.py

  KEYS[1]   sigma:{<ds>:noise}:fence   string   newest curator token
  KEYS[2]   sigma:{<ds>:noise}:trail   string   JSON: what the topic came to, and where

  ARGV[1]   token     decimal; of the curator's lease
  ARGV[2]   summary   JSON text

  RETURNS   { 'ok' }
            { 'fenced' }   nothing written
  COST      O(bytes).
]]
local fence, held = KEYS[1], KEYS[2]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', fence) or '0') then
  return { 'fenced' }
end
redis.call('SET', fence, ARGV[1])
redis.call('SET', held, ARGV[2])
return { 'ok' }
