--[[ fence.lua — from here on, older tokens write nothing in this slot.

  WHY LUA   compare and set must be one step, or an old holder could lower the fence.
  MODEL     sigmacount.models.lease.Fence.admit; tests/contracts/test_lease.py

  KEYS[1]   sigma:{<ds>:noise}:fence    string   or the fence of another slot
            sigma:{<ds>:ledger}:fence
            sigma:{<ds>:rel}:fence
            sigma:{<ds>:rows}:fence

  ARGV[1]   token   decimal; of the curator's lease

  RETURNS   { 'ok' }
            { 'fenced' }   a newer token was here; nothing written
  COST      O(1).
]]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[1]) or '0') then
  return { 'fenced' }
end
redis.call('SET', KEYS[1], ARGV[1])
return { 'ok' }
