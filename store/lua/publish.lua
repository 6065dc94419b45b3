--[[ publish.lua — switch to a new epoch; readers see the old one whole or the new one

  WHY LUA   the head names arrays that must all be there, and only the newest curator
            may move it, and only forwards.
  MODEL     sigmacount.models.shelf.Shelf.publish; tests/contracts/test_released.py

  KEYS[1]   sigma:{<ds>:rel}:fence   string   newest curator token
  KEYS[2]   sigma:{<ds>:rel}:head    hash     epoch, wire, frozen, arrays, before
  KEYS[3]   sigma:{<ds>:rel}:history hash     epoch → JSON of what is kept of it
  KEYS[4…]  sigma:{<ds>:rel}:array:<epoch>:<token>:<try>:<gid>:<kind>   string
            the staged, then those to drop; last of all, to drop:
            sigma:{<ds>:rel}:memo:<epoch>

  ARGV[1]   token      decimal; of the curator's lease
  ARGV[2]   epoch      decimal; above the head's
  ARGV[3]   expected   decimal; the head's epoch, or empty: there is no head
  ARGV[4]   staged     decimal; how many of KEYS[4…] are staged
  ARGV[5]   arrays     the staged keys, each followed by a newline
  ARGV[6]   wire       JSON text of the head
  ARGV[7]   past       JSON text for the history, or empty: nothing of it is kept
  ARGV[8…]  forgotten  decimal; epochs that leave the history, their arrays in KEYS

  RETURNS   { 'ok' }
            { 'fenced' }         nothing written
            { 'moved', epoch }   the head is another, or not below; nothing changes
            { 'unstaged' }       a staged array is missing; nothing written
  COST      O(arrays). Arrays of the epoch before stay for readers in mid-read, and
            those with noise alone for as long as the epoch is in the history.
]]
local fence, head, history = KEYS[1], KEYS[2], KEYS[3]
local newest = redis.call('GET', fence) or '0'
if tonumber(ARGV[1]) < tonumber(newest) then
  return { 'fenced' }
end
local stored = redis.call('HGET', head, 'epoch') or ''
if stored ~= ARGV[3] or (stored ~= '' and tonumber(ARGV[2]) <= tonumber(stored)) then
  -- Changes nothing, but on a repeat the caller waits for this write to reach the
  -- disk, and with it whatever was written before.
  redis.call('SET', fence, newest)
  return { 'moved', stored }
end
local last = 3 + tonumber(ARGV[4])
for i = 4, last do
  if redis.call('EXISTS', KEYS[i]) == 0 then
    return { 'unstaged' }
  end
end
redis.call('SET', fence, ARGV[1])
for i = 4, last do
  redis.call('PERSIST', KEYS[i])
end
for i = last + 1, #KEYS do
  redis.call('UNLINK', KEYS[i])
end
for i = 8, #ARGV do
  redis.call('HDEL', history, ARGV[i])
end
if ARGV[7] ~= '' then
  redis.call('HSET', history, ARGV[2], ARGV[7])
end
redis.call('HSET', head, 'before', redis.call('HGET', head, 'arrays') or '')
redis.call('HSET', head, 'last', stored, 'epoch', ARGV[2], 'wire', ARGV[6],
  'arrays', ARGV[5], 'frozen', '')
return { 'ok' }
