--[[ noise_drop.lua — let go of noise that nothing shows any more.

  WHY LUA   a stale curator must not drop what its successor still needs.
  MODEL     sigmacount.models.vault.Vault.drop; tests/contracts/test_noise.py

  KEYS[1]   sigma:{<ds>:noise}:fence                string   newest curator token
  KEYS[2…]  sigma:{<ds>:noise}:unit:<unit>:<gen>    hash     array, key, made; or
            sigma:{<ds>:noise}:count:<unit>:<gen>   hash     kind, key, t, t0, state,
                                                             u:<t>, epoch:<t>

  ARGV[1]   token   decimal; of the curator's lease

  RETURNS   { 'ok' }       none of them is there
            { 'fenced' }   nothing was dropped
  COST      O(units); their memory is freed beside.
]]
local fence = KEYS[1]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', fence) or '0') then
  return { 'fenced' }
end
redis.call('SET', fence, ARGV[1])
for i = 2, #KEYS do
  redis.call('UNLINK', KEYS[i])
end
return { 'ok' }
