--[[ noise_fold.lua — keep a state of counters in the place of the ticks it came from.

  WHY LUA   the state and the end of its ticks must come together, or a successor
            replays a tick twice or misses it.
  MODEL     sigmacount.models.ticks.TickLog.fold; tests/contracts/test_ticks.py

  KEYS[1]   sigma:{<ds>:noise}:fence                string   newest curator token
  KEYS[2]   sigma:{<ds>:noise}:count:<unit>:<gen>   hash     kind, key, t, t0, state,
                                                             u:<t>, epoch:<t>

  ARGV[1]   token   decimal; of the curator's lease
  ARGV[2]   tick    decimal; that the state is after
  ARGV[3]   state   packed; the same whoever computes it

  RETURNS   { 'ok' }            it is kept, or was, or a later one is
            { 'differs' }       another state is kept of this tick
            { 'ahead', tick }   not below the last tick, which may have to be given
                                again; tick: the last
            { 'fenced' }        all but 'ok' write nothing
  COST      O(ticks that go + bytes).
]]
local fence, unit = KEYS[1], KEYS[2]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', fence) or '0') then
  return { 'fenced' }
end
local now = redis.call('HMGET', unit, 't', 't0', 'state')
local last, folded = tonumber(now[1] or '0'), tonumber(now[2] or '0')
local tick = tonumber(ARGV[2])
if tick == folded and now[3] ~= ARGV[3] then
  return { 'differs' }
end
if not (tick < last) then
  return { 'ahead', string.format('%.0f', last) }
end
redis.call('SET', fence, ARGV[1])
if tick > folded then
  redis.call('HSET', unit, 't0', ARGV[2], 'state', ARGV[3])
  for n = folded + 1, tick do
    redis.call('HDEL', unit, 'u:' .. n, 'epoch:' .. n)
  end
end
return { 'ok' }
