--[[ noise_step.lua — keep what a tick of counters draws; one stored tick, one epoch.

  WHY LUA   two curators may both have drawn for one tick: the first to arrive wins,
            and a stale one writes nothing. Of many units all take the step or none.
  MODEL     sigmacount.models.ticks.TickLog.step; tests/contracts/test_ticks.py

  KEYS[1]   sigma:{<ds>:noise}:fence                string   newest curator token
  KEYS[2…]  sigma:{<ds>:noise}:count:<unit>:<gen>   hash     kind, key, t, t0, state,
                                                             u:<t>, epoch:<t>

  ARGV[1]   token   decimal; of the curator's lease
  ARGV[2]   epoch   decimal; that the ticks are for
  ARGV[3…]  tick    for each unit in turn: decimal, its number,
            kind    then what its counters are: horizon and size,
            u       then the packed array by which they move,
            key     then random bytes, kept with its first tick: what commitments to
                    its ticks are made with

  RETURNS   { 'ok', tick, held… }    for each unit its last tick, and '' where what was
                                     offered is now kept, or else the array that this
                                     epoch had already
            { 'gap', unit, tick }    of the unit in that place another tick is next;
                                     tick: its last
            { 'later', unit, epoch } its last tick is for a later epoch
            { 'other', unit, kind }  it has counters of another kind
            { 'lost', unit, tick }   its last tick lacks its epoch or its array
            { 'ended', unit, tick }  it had all the ticks that its charge pays for
            { 'fenced' }             all but 'ok' write nothing
  COST      O(units + bytes).
]]
local LAST_TICK = 67108864
local fence = KEYS[1]
if tonumber(ARGV[1]) < tonumber(redis.call('GET', fence) or '0') then
  return { 'fenced' }
end
local epoch = tonumber(ARGV[2])
local reply = { 'ok' }
for i = 2, #KEYS do
  local tick, place = tonumber(ARGV[4 * i - 5]), i - 2
  local now = redis.call('HMGET', KEYS[i], 't', 'kind')
  local last, served, held = now[1] or '0', -1, ''
  if now[2] and now[2] ~= ARGV[4 * i - 4] then
    return { 'other', place, now[2] }
  end
  if now[1] then
    local of = redis.call('HMGET', KEYS[i], 'epoch:' .. last, 'u:' .. last)
    if not (of[1] and of[2]) then
      return { 'lost', place, last }
    end
    served, held = tonumber(of[1]), of[2]
  end
  local next = tonumber(last) + 1
  if served > epoch then
    return { 'later', place, string.format('%.0f', served) }
  end
  local again = served == epoch and tick == next - 1
  if not again and tick ~= next then
    return { 'gap', place, last }
  end
  if served == epoch then
    reply[2 * i - 2], reply[2 * i - 1] = last, held
  elseif tick > LAST_TICK then
    return { 'ended', place, last }
  else
    reply[2 * i - 2], reply[2 * i - 1] = ARGV[4 * i - 5], ''
  end
end
-- Also where all are there already: the caller waits for this write to reach the disk.
redis.call('SET', fence, ARGV[1])
for i = 2, #KEYS do
  if reply[2 * i - 1] == '' then
    local tick = ARGV[4 * i - 5]
    redis.call('HSET', KEYS[i], 'kind', ARGV[4 * i - 4], 't', tick,
      'u:' .. tick, ARGV[4 * i - 3], 'epoch:' .. tick, ARGV[2])
    redis.call('HSETNX', KEYS[i], 'key', ARGV[4 * i - 2])
  end
end
return reply
