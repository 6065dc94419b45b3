--[[ lease_renew.lua — keep a role that one still holds.

  WHY LUA   between a look and an extension the lease may pass to somebody else.
  MODEL     sigmacount.models.lease.Lease.renew; tests/contracts/test_lease.py

  KEYS[1]   sigma:{<ds>:lease}:<role>   string with expiry   'token owner'

  ARGV[1]   token   decimal; from lease_acquire.lua
  ARGV[2]   ttl     decimal, ms

  RETURNS   { 'ok' }
            { 'lost' }   nothing written
  COST      O(1).
]]
local held = redis.call('GET', KEYS[1])
if not held or string.match(held, '^%d+') ~= ARGV[1] then
  return { 'lost' }
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { 'ok' }
