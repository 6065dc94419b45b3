--[[ lease_acquire.lua — take a role that nobody holds, under the next token.

  WHY LUA   the token must be raised exactly when the lease is taken.
  MODEL     sigmacount.models.lease.Lease.acquire; tests/contracts/test_lease.py

  KEYS[1]   sigma:{<ds>:lease}:<role>         string with expiry   'token owner'
  KEYS[2]   sigma:{<ds>:lease}:<role>:token   string               newest handed out

  ARGV[1]   owner   a name for people; proves nothing
  ARGV[2]   ttl     decimal, ms
  ARGV[3]   beyond  decimal; the token is newer than this, too

  RETURNS   { 'ok', token }
            { 'held' }   nothing written
  COST      O(1).
]]
if redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'held' }
end
local newest = tonumber(redis.call('GET', KEYS[2]) or '0')
local token = math.max(newest, tonumber(ARGV[3])) + 1
-- The lease first: a ttl that Redis refuses must not have used up a token.
redis.call('SET', KEYS[1], string.format('%.0f %s', token, ARGV[1]), 'PX', ARGV[2])
redis.call('SET', KEYS[2], string.format('%.0f', token))
return { 'ok', token }
