import { Script } from "./client/script.ts";

/**
 * The beginning of every script of tasks. KEYS: the base of all keys of tasks. ARGV: channel of changes, name of this node.
 *
 * A task is a hash that expires by itself. Indexes, sorted sets of ids:
 *   waiting:<queue>  tasks without a worker, by the time since when, in microseconds
 *   leased:<queue>   tasks with a worker, by the end of its lease, in microseconds
 *   lister:<lister>  tasks of a list, by the time of their creation, in microseconds
 *   holder:<holder>  tasks that have not ended, by the time when they expire, in milliseconds
 *   ended:<holder>   tasks that have ended, by the time when they did, in microseconds
 *   holders          holders, by the number of their tasks that have ended
 *   expiry           tasks with all of these names, by the time when they expire, in milliseconds
 */
const common = `
local base = KEYS[1]
local clock = redis.call('TIME')
local us = clock[1] * 1000000 + clock[2]
local ms = math.floor(us / 1000)

local function int(number) return string.format('%.0f', number) end
local function taskKey(id) return base .. ':task:' .. id end
local function waiting(queue) return base .. ':waiting:' .. queue end
local function leased(queue) return base .. ':leased:' .. queue end
local function lister(name) return base .. ':lister:' .. name end
local function holder(name) return base .. ':holder:' .. name end
local function ended(name) return base .. ':ended:' .. name end
local holders = base .. ':holders'
local expiry = base .. ':expiry'

local function notify(id) redis.call('PUBLISH', ARGV[1], ARGV[2] .. ' ' .. id) end

-- Adds to an index that lives at least as long as this member.
local function index(key, score, id, lifeMs)
  redis.call('ZADD', key, int(score), id)
  if redis.call('PTTL', key) < lifeMs then redis.call('PEXPIRE', key, int(lifeMs)) end
end

-- Adds to the end of an index by time, also where the clock was set back.
local function enqueue(key, id, lifeMs)
  local last = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
  index(key, math.max(us, last[2] and tonumber(last[2]) + 1 or 0), id, lifeMs)
end

local function release(id, key, queue)
  redis.call('HINCRBY', key, 'token', 1)
  redis.call('ZREM', leased(queue), id)
  enqueue(waiting(queue), id, redis.call('PTTL', key))
end

local function dropAsks(key)
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 4) == 'ask:' then redis.call('HDEL', key, field) end
  end
end

-- Takes note of the number of a holder's tasks that have ended.
local function count(owner)
  local number = redis.call('ZCARD', ended(owner))
  if number == 0 then return redis.call('ZREM', holders, owner) end
  index(holders, number, owner, redis.call('PTTL', ended(owner)))
end

local function finish(id, key, status)
  local names = redis.call('HMGET', key, 'queue', 'holder', 'left')
  redis.call('ZREM', waiting(names[1]), id)
  redis.call('ZREM', leased(names[1]), id)
  redis.call('ZREM', holder(names[2]), id)
  enqueue(ended(names[2]), id, redis.call('PTTL', key))
  count(names[2])
  if names[3] ~= '0' then dropAsks(key) end
  redis.call('HSET', key, 'status', status, 'left', '0', 'updated', int(ms))
  notify(id)
end

local function forget(packed)
  local id, queue, list, owner = unpack(cmsgpack.unpack(packed))
  redis.call('DEL', taskKey(id))
  redis.call('ZREM', expiry, packed)
  redis.call('ZREM', waiting(queue), id)
  redis.call('ZREM', leased(queue), id)
  redis.call('ZREM', lister(list), id)
  redis.call('ZREM', holder(owner), id)
  redis.call('ZREM', ended(owner), id)
  count(owner)
end

-- Forgets tasks whose time is over.
local function sweep()
  for _, packed in ipairs(redis.call('ZRANGEBYSCORE', expiry, '-inf', '(' .. int(ms), 'LIMIT', 0, 50)) do
    forget(packed)
  end
end

-- Drops the oldest task of a holder that has ended.
local function dropEnded(owner)
  local id = redis.call('ZRANGE', ended(owner), 0, 0)[1]
  if not id then return count(owner) end
  local names = redis.call('HMGET', taskKey(id), 'queue', 'lister')
  if names[2] then return forget(cmsgpack.pack({id, names[1], names[2], owner})) end
  redis.call('ZREM', ended(owner), id)
  count(owner)
end
`;

const taskScript = (text: string) => new Script(common + text);

/**
 * ARGV: id, queue, lister, holder, time to live, limits of the holder's open tasks, of its ended ones and of all tasks, fields.
 *
 * Returns the time; nil beyond the first limit; -1 for a known id; -2 for a store that is full.
 */
export const createScript: Script = taskScript(`
local id, queue, list, owner, ttl = ARGV[3], ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7])
local key = taskKey(id)
sweep()
if redis.call('EXISTS', key) == 1 then return -1 end
-- Redis without room refuses a script at its first write, unless that is one that removes.
if redis.call('ZCOUNT', holder(owner), '-inf', '(' .. int(ms)) > 0 then
  redis.call('ZREMRANGEBYSCORE', holder(owner), '-inf', '(' .. int(ms))
end
if redis.call('ZCARD', holder(owner)) >= tonumber(ARGV[8]) then return false end
-- Limits that were lowered are reached step by step.
for _ = 1, 50 do
  if redis.call('ZCARD', ended(owner)) <= tonumber(ARGV[9]) then break end
  dropEnded(owner)
end
for _ = 1, 50 do
  if redis.call('ZCARD', expiry) < tonumber(ARGV[10]) then break end
  local largest = redis.call('ZREVRANGE', holders, 0, 0)[1]
  if not largest then return -2 end
  dropEnded(largest)
end
redis.call('HSET', key, 'status', 'working', 'token', '0', 'left', '0', 'queue', queue, 'holder', owner,
  'lister', list, 'created', int(ms), 'updated', int(ms), unpack(ARGV, 11))
redis.call('PEXPIREAT', key, int(ms + ttl))
enqueue(waiting(queue), id, ttl)
enqueue(lister(list), id, ttl)
index(holder(owner), ms + ttl, id, ttl)
index(expiry, ms + ttl, cmsgpack.pack({id, queue, list, owner}), ttl)
notify(id)
return ms`);

/** ARGV: id. Returns its fields. */
export const getScript: Script = taskScript(`
return redis.call('HGETALL', taskKey(ARGV[3]))`);

/** ARGV: lister, place after which the page begins, limit. Returns the place of the next page, then the id and the fields of each task. */
export const listScript: Script = taskScript(`
local key, after, limit = lister(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local reply = {''}
local place
while true do
  local page = redis.call('ZRANGEBYSCORE', key, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, limit + 1)
  for at = 1, #page, 2 do
    after = page[at + 1]
    local fields = redis.call('HGETALL', taskKey(page[at]))
    if #fields == 0 then
      redis.call('ZREM', key, page[at])
    elseif #reply > 2 * limit then
      reply[1] = place
      return reply
    else
      reply[#reply + 1] = page[at]
      reply[#reply + 1] = fields
      place = after
    end
  end
  if #page < 2 * (limit + 1) then return reply end
end`);

/** ARGV: queue, lease. Returns the token, then the fields of the task. */
export const claimScript: Script = taskScript(`
local free, taken, lease = waiting(ARGV[3]), leased(ARGV[3]), tonumber(ARGV[4])
sweep()
while true do
  local first = redis.call('ZRANGE', free, 0, 0, 'WITHSCORES')
  local late = redis.call('ZRANGEBYSCORE', taken, '-inf', int(us), 'WITHSCORES', 'LIMIT', 0, 1)
  local id = first[1]
  if not id or (late[1] and tonumber(late[2]) < tonumber(first[2])) then id = late[1] end
  if not id then return false end
  local key = taskKey(id)
  redis.call('ZREM', free, id)
  local left = redis.call('PTTL', key)
  if left >= 0 then
    index(taken, us + lease * 1000, id, left)
    return {redis.call('HINCRBY', key, 'token', 1), redis.call('HGETALL', key)}
  end
  redis.call('ZREM', taken, id)
end`);

/**
 * ARGV: id, token, lease ('': as it is, 0: over), status that ends it ('': none), whether it asks, number of fields with
 * their values, fields, then the questions. Returns 0: refused, 1: made, 2: made and reported.
 */
export const saveScript: Script = taskScript(`
local id, lease, ending, asks, count = ARGV[3], ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8])
local key = taskKey(id)
local known = redis.call('HMGET', key, 'token', 'status', 'queue')
if known[1] ~= ARGV[4] or known[2] ~= 'working' then return 0 end
local queue = known[3]
if lease == '0' then
  release(id, key, queue)
elseif lease ~= '' then
  index(leased(queue), us + tonumber(lease) * 1000, id, redis.call('PTTL', key))
end
if count > 0 then redis.call('HSET', key, unpack(ARGV, 9, 8 + count)) end
if ending ~= '' then
  finish(id, key, ending)
  return 2
end
if asks == '1' then
  local left = 0
  for at = 9 + count, #ARGV, 2 do
    if redis.call('HEXISTS', key, 'answer:' .. ARGV[at]) == 0 then
      left = left + redis.call('HSET', key, 'ask:' .. ARGV[at], ARGV[at + 1])
    end
  end
  if lease ~= '0' then release(id, key, queue) end
  if left > 0 then
    redis.call('ZREM', waiting(queue), id)
    redis.call('HSET', key, 'status', 'input_required', 'left', left)
  end
elseif count == 0 then
  if lease ~= '0' then return 1 end
  notify(id)
  return 2
end
redis.call('HSET', key, 'updated', int(ms))
notify(id)
return 2`);

/** ARGV: id, answers. Returns whether one was taken. */
export const answerScript: Script = taskScript(`
local id = ARGV[3]
local key = taskKey(id)
if redis.call('HGET', key, 'status') ~= 'input_required' then return 0 end
local taken = 0
for at = 4, #ARGV, 2 do
  if redis.call('HDEL', key, 'ask:' .. ARGV[at]) == 1 then
    redis.call('HSET', key, 'answer:' .. ARGV[at], ARGV[at + 1])
    taken = taken + 1
  end
end
if taken == 0 then return 0 end
if redis.call('HINCRBY', key, 'left', -taken) == 0 then
  redis.call('HSET', key, 'status', 'working')
  enqueue(waiting(redis.call('HGET', key, 'queue')), id, redis.call('PTTL', key))
end
redis.call('HSET', key, 'updated', int(ms))
notify(id)
return 1`);

/** ARGV: id. Returns whether it was ended. */
export const cancelScript: Script = taskScript(`
local key = taskKey(ARGV[3])
local status = redis.call('HGET', key, 'status')
if status ~= 'working' and status ~= 'input_required' then return 0 end
finish(ARGV[3], key, 'cancelled')
return 1`);
