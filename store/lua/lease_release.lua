--[[ lease_release.lua — give a role back at once, so that a standby need not wait.

  WHY LUA   one must not delete a lease that has passed to somebody else.
  MODEL     sigmacount.models.lease.Lease.release; tests/contracts/test_lease.py

  KEYS[1]   sigma:{<ds>:lease}:<role>   string with expiry   'token owner'

  ARGV[1]   token   decimal; from lease_acquire.lua

  RETURNS   { 'ok' }
            { 'lost' }   somebody else's, or nobody's; nothing written
  COST      O(1).
]]
local held = redis.call('GET', KEYS[1])
if not held or string.match(held, '^%d+') ~= ARGV[1] then
  return { 'lost' }
end
redis.call('DEL', KEYS[1])
return { 'ok' }
