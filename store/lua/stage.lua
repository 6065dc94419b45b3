--[[ stage.lua — lay an array ready for an epoch, unless a newer curator is at work.

  WHY LUA   whoever may read releases may read it before a head names it. A curator
            that is late has made it of the noise that its successor shows with other
            rows: compare and set must be one step.
  MODEL     sigmacount.models.lease.Fence.admit; tests/contracts/test_released.py

  KEYS[1]   sigma:{<ds>:rel}:fence   string   newest curator token
  KEYS[2]   sigma:{<ds>:rel}:array:<epoch>:<token>:<try>:<gid>:<kind>   string

  ARGV[1]   token     decimal; of the curator's lease
  ARGV[2]   array     packed
  ARGV[3]   seconds   decimal; after which it is forgotten, unless a head names it

  RETURNS   { 'ok' }
            { 'fenced' }   nothing written
  COST      O(bytes).
]]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[1]) or '0') then
  return { 'fenced' }
end
redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
return { 'ok' }
