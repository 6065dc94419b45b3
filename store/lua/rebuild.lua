--[[ rebuild.lua — start one partition anew: no rows, no counts, a new generation.

  WHY LUA   a follower must see either the old partition whole or the empty new one.
  MODEL     sigmacount.models.rows.RowPartition.rebuild;
            tests/contracts/test_rows.py

  KEYS[1]   sigma:{<ds>:rows:<p>}:meta      hash    identity, fence, next, generation,
                                                    limit, settled, told
  KEYS[2]   sigma:{<ds>:rows:<p>}:rows      hash    dropped
  KEYS[3]   sigma:{<ds>:rows:<p>}:cells     hash    dropped
  KEYS[4]   sigma:{<ds>:rows:<p>}:log       stream  dropped
  KEYS[5]   sigma:{<ds>:rows:<p>}:changes   hash    kept: how often each row changed,
                                                    and its cell now

  ARGV[1]   token         decimal; or empty: an operator does it over the owner's head
  ARGV[2]   start         decimal offset; where the new generation begins
  ARGV[3]   topic id      of the new identity; ARGV[3] to ARGV[6] are all empty to keep
  ARGV[4]   cluster id    the same
  ARGV[5]   partitions    the same
  ARGV[6]   fingerprint   the same
  ARGV[7]   end           decimal offset after the last record, as it is now; or empty

  RETURNS   { 'ok', token, next, '', generation, settled, told }
                             a new claim: older owners are fenced
            { 'fenced' }     nothing written
            { 'limited' }    under a limit of changes ids and cells must mean what they
                             meant: same partitions, same fingerprint; nothing written
  COST      O(1) here; memory is freed in the background. Under a limit O(rows).
            A row that may not change any more stays where it is.
]]
local GONE = string.rep('\255', 8)
local meta, rows, cells, changes = KEYS[1], KEYS[2], KEYS[3], KEYS[5]
local topic, cluster, partitions, fingerprint = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local was = redis.call('HMGET', meta, 'token', 'next', 'topic_id', 'cluster_id',
  'partitions', 'fingerprint', 'limit', 'settled', 'told')
if ARGV[1] ~= '' and was[1] ~= ARGV[1] then
  return { 'fenced' }
end
local limit = tonumber(was[7] or '')
local other = fingerprint ~= '' and { topic, cluster, partitions, fingerprint }
if limit and other and (was[5] ~= partitions or was[6] ~= fingerprint) then
  return { 'limited' }
end

-- A page of a hash, and what another one has of the same fields.
local function each(key, other_key, act)
  local cursor = '0'
  repeat
    local page = redis.call('HSCAN', key, cursor, 'COUNT', 500)
    local ids, n = {}, 0
    for i = 1, #page[2], 2 do
      n = n + 1
      ids[n] = page[2][i]
    end
    local there = n > 0 and redis.call('HMGET', other_key, unpack(ids)) or {}
    for i = 1, n do
      act(ids[i], page[2][2 * i], there[i])
    end
    cursor = page[1]
  until cursor == '0'
end

local function offset(number)
  return string.format('%.0f', number)
end

local function note(id, many, cell)
  redis.call('HSET', changes, id, struct.pack('>I4', many) .. cell)
end

-- What was brought back by an earlier rebuild, or taken away, is a change by now.
local function settle()
  each(changes, rows, function(id, noted, now)
    local many, cell = struct.unpack('>I4', noted), string.sub(noted, 5)
    now = now or GONE
    if now ~= cell then
      local by = (cell == GONE and 0 or 1) + (now == GONE and 0 or 1)
      note(id, many + by, now)
    end
  end)
  each(rows, changes, function(id, cell, noted)
    if not noted then
      note(id, 1, cell)
    end
  end)
end

-- A row that may not change any more is where it was, whatever the topic says; under an
-- even limit each row that is there has a change left.
local function stay()
  each(changes, rows, function(id, noted, there)
    local cell = string.sub(noted, 5)
    local used_up = cell ~= GONE and struct.unpack('>I4', noted) >= limit
    if used_up and not there and redis.call('HSETNX', rows, id, cell) == 1 then
      redis.call('HINCRBY', cells, cell, 1)
    end
  end)
end

local following, settled = tonumber(was[2] or '0'), tonumber(was[8] or '0')
if limit and following >= settled then
  settle()
end
redis.call('UNLINK', rows, cells, KEYS[4])
if limit then
  if limit % 2 == 1 then
    stay()
  end
  local same = not other or (was[3] == topic and was[4] == cluster)
  local told = same and math.max(following, tonumber(was[9] or '0')) or ARGV[2]
  local stop = ARGV[7] == '' and math.max(following, settled) or ARGV[7]
  redis.call('HSET', meta, 'settled', offset(stop), 'told', offset(told))
elseif not was[1] then
  redis.call('HSET', meta, 'limit', '')
end
redis.call('HSET', meta, 'next', ARGV[2], 'last', '0-0', 'applied_ms', '')
if other then
  redis.call('HSET', meta, 'topic_id', topic, 'cluster_id', cluster,
    'partitions', partitions, 'fingerprint', fingerprint)
end
local token = redis.call('HINCRBY', meta, 'token', 1)
local generation = redis.call('HINCRBY', meta, 'generation', 1)
local now = redis.call('HMGET', meta, 'settled', 'told')
return { 'ok', tostring(token), ARGV[2], '', tostring(generation), now[1] or '0',
  now[2] or '0' }
