--[[ apply.lua — one batch of rows becomes counts, all or nothing, exactly once.

  WHY LUA   row map, counts, position and log must move together, and only for the
            newest owner and only from the stored position.
  MODEL     sigmacount.models.rows.RowPartition.apply; tests/contracts/test_rows.py

  KEYS[1]   sigma:{<ds>:rows:<p>}:meta      hash    token, next, last, applied_ms
  KEYS[2]   sigma:{<ds>:rows:<p>}:rows      hash    row id → 8-byte cell code
  KEYS[3]   sigma:{<ds>:rows:<p>}:cells     hash    8-byte cell code → count, no zeros
  KEYS[4]   sigma:{<ds>:rows:<p>}:log       stream  d: (code, int32 delta) pairs; p:
                                                    the entry before, so that a cut
                                                    log is noticed
  KEYS[5]   sigma:{<ds>:rows:<p>}:changes   hash    row id → uint32, how often it
                                                    changed, and 8-byte cell after that

  ARGV[1]   token     decimal; from claim.lua
  ARGV[2]   start     decimal offset; must be the stored next
  ARGV[3]   stop      decimal offset; the next of the batch after this one
  ARGV[4]   ids       msgpack array of strings; each once, unless there is a limit:
                      then one for each record, in order
  ARGV[5]   codes     8 bytes big-endian for each id; all ones = the row is gone
  ARGV[6]   keep      how many offsets the log reaches back
  ARGV[7]   limit     decimal, how often a row may change; empty: as often as it likes
  ARGV[8]   settling  decimal; so many of the records lie below the offset up to which
                      a rebuild brings back what was there (meta: settled)
  ARGV[9]   told      '1': what is in excess is among the dead letters by now

  RETURNS   { 'ok', rows changed, cells changed }
            { 'excess', index… }        records of rows that may not change so often,
                                        from 0; unless told: nothing written
            { 'fenced' }                a newer owner; nothing written
            { 'position', next }        not the stored position; nothing written
            { 'corrupt' }               a count would fall below 0; nothing written
            { 'malformed' }             ids, codes or offsets disagree; nothing written
  COST      O(rows), about 2 µs a row. Codes stay strings: a Lua number is a double
            and would merge cells above 2^53. Everything is checked, then written.
]]
local MANY = 3900 -- unpack() holds less than 8,000 values, and HSET takes two a row
local GONE = string.rep('\255', 8)
local meta, rows, cells, log, changes = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local stop = ARGV[3]

local state = redis.call('HMGET', meta, 'token', 'next', 'last')
if state[1] ~= ARGV[1] then
  return { 'fenced' }
end
if state[2] ~= ARGV[2] then
  return { 'position', state[2] }
end

local function read(key, fields)
  local values, at = {}, 0
  for first = 1, #fields, MANY do
    local last = math.min(first + MANY - 1, #fields)
    local part = redis.call('HMGET', key, unpack(fields, first, last))
    for i = 1, #part do
      values[at + i] = part[i]
    end
    at = at + #part
  end
  return values
end

local function write(key, pairs_, removed)
  for first = 1, #pairs_, 2 * MANY do
    local last = math.min(first + 2 * MANY - 1, #pairs_)
    redis.call('HSET', key, unpack(pairs_, first, last))
  end
  for first = 1, #removed, MANY do
    local last = math.min(first + MANY - 1, #removed)
    redis.call('HDEL', key, unpack(removed, first, last))
  end
end

-- 1. under a limit: where each row ends, record by record
local sub = string.sub
local ids, blob, recorded = cmsgpack.unpack(ARGV[4]), ARGV[5], {}
if #blob ~= 8 * #ids or tonumber(stop) < tonumber(ARGV[2]) + math.min(#ids, 1) then
  return { 'malformed' }
end

local function moves(from, to)
  if from == to then
    return 0
  end
  return (from == GONE and 0 or 1) + (to == GONE and 0 or 1)
end

-- Each id once, where it ends, where it was, and which records are in excess.
local function limited(limit, settling)
  local was, noted = read(rows, ids), read(changes, ids)
  local place, once, first, codes, many, base, excess = {}, {}, {}, {}, {}, {}, {}
  for i = 1, #ids do
    local at, to = place[ids[i]], sub(blob, 8 * i - 7, 8 * i)
    if not at then
      at = #once + 1
      place[ids[i]], once[at] = at, ids[i]
      first[at], codes[at] = was[i], was[i] or GONE
      many[at], base[at] = 0, GONE
      if noted[i] then
        many[at], base[at] = struct.unpack('>I4', noted[i]), sub(noted[i], 5)
      end
    end
    if i <= settling then -- not shown yet: only where it comes to in the end counts
      if many[at] + moves(base[at], to) <= limit then
        codes[at] = to
      else
        codes[at], excess[#excess + 1] = base[at], i - 1
      end
    else
      local n = many[at] + moves(base[at], codes[at])
      if n + moves(codes[at], to) <= limit then
        n, codes[at] = n + moves(codes[at], to), to
      else
        excess[#excess + 1] = i - 1
      end
      if n ~= many[at] then
        recorded[once[at]] = struct.pack('>I4', n) .. codes[at]
      end
      many[at], base[at] = n, codes[at]
    end
  end
  return once, table.concat(codes), first, excess
end

local before
if ARGV[7] == '' then
  before = read(rows, ids)
else
  local excess
  ids, blob, before, excess = limited(tonumber(ARGV[7]), tonumber(ARGV[8]))
  if #excess > 0 and ARGV[9] ~= '1' then
    table.insert(excess, 1, 'excess')
    return excess
  end
end

-- 2. which rows change, and by how much each cell does
local set, gone, delta, touched = {}, {}, {}, {}
local n, t, changed = 0, 0, 0
for i = 1, #ids do
  local old, new = before[i] or GONE, sub(blob, 8 * i - 7, 8 * i)
  if old ~= new then
    changed = changed + 1
    if old ~= GONE then
      local sum = delta[old]
      if not sum then
        t, sum = t + 1, 0
        touched[t] = old
      end
      delta[old] = sum - 1
    end
    if new ~= GONE then
      local sum = delta[new]
      if not sum then
        t, sum = t + 1, 0
        touched[t] = new
      end
      delta[new] = sum + 1
      set[n + 1], set[n + 2] = ids[i], new
      n = n + 2
    else
      gone[#gone + 1] = ids[i]
    end
  end
end

-- 3. the counts that come out, checked before anything is written
local moved, packed, bytes, m = {}, {}, {}, 0
for i = 1, t do
  local code = touched[i]
  local by = delta[code]
  if by ~= 0 then
    if not bytes[by] then
      bytes[by] = struct.pack('>i4', by)
    end
    m = m + 1
    moved[m], packed[2 * m - 1], packed[2 * m] = code, code, bytes[by]
  end
end
local counts, kept, emptied, k = read(cells, moved), {}, {}, 0
for i = 1, m do
  local code = moved[i]
  local count = (counts[i] or 0) + delta[code]
  if count < 0 then
    return { 'corrupt' }
  elseif count == 0 then
    emptied[#emptied + 1] = code
  else
    kept[k + 1], kept[k + 2] = code, count
    k = k + 2
  end
end

-- 4. write
write(rows, set, gone)
write(cells, kept, emptied)
local noted, q = {}, 0
for id, change in pairs(recorded) do
  noted[q + 1], noted[q + 2] = id, change
  q = q + 2
end
write(changes, noted, {})
local now = redis.call('TIME')
local ms = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
redis.call('HSET', meta, 'next', stop, 'applied_ms', ms)
if m > 0 then
  local entry = stop .. '-0'
  redis.call('XADD', log, entry, 'd', table.concat(packed), 'p', state[3])
  redis.call('HSET', meta, 'last', entry)
  local oldest = tonumber(stop) - tonumber(ARGV[6])
  if oldest > 0 then
    redis.call('XTRIM', log, 'MINID', '~', string.format('%.0f', oldest))
  end
end
return { 'ok', changed, m }
