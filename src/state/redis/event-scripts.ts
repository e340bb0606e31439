import { Script } from "./client/script.ts";

/**
 * Appends events, drops the oldest that are too many or too large together, and hints.
 *
 * The ids count microseconds, so that a stream that begins again has none of its old ones.
 * Redis without room refuses a script at its first write, unless that is one that removes: none is done without need.
 * KEYS: stream, meta. ARGV: time to live, limit of events, limit of bytes, channel, texts.
 */
export const appendScript: Script = new Script(`
local stream, meta = KEYS[1], KEYS[2]
local ttl, maxEvents, maxBytes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local known = redis.call('HMGET', meta, 'last', 'bytes')
local bytes = tonumber(known[2] or 0)
local clock = redis.call('TIME')
local micros = clock[2] % 1000
local ms, sequence = clock[1] * 1000 + (clock[2] - micros) / 1000, micros * 1000
if known[1] then
  local lastMs, lastSequence = string.match(known[1], '^(%d+)-(%d+)$')
  lastMs, lastSequence = tonumber(lastMs), tonumber(lastSequence)
  if ms < lastMs or (ms == lastMs and sequence <= lastSequence) then
    ms, sequence = lastMs, lastSequence + 1
  end
elseif redis.call('EXISTS', stream) == 1 then
  redis.call('DEL', stream)
end
local last
for at = 5, #ARGV do
  last = string.format('%.0f-%.0f', ms, sequence)
  redis.call('XADD', stream, last, 't', ARGV[at])
  sequence = sequence + 1
  bytes = bytes + #ARGV[at]
end
local count = redis.call('XLEN', stream)
local function isOver() return count > 1 and (count > maxEvents or bytes > maxBytes) end
while isOver() do
  local most = math.max(count - maxEvents, math.ceil((bytes - maxBytes) * count / bytes), 1)
  for _, event in ipairs(redis.call('XRANGE', stream, '-', '+', 'COUNT', math.min(most, 100))) do
    if not isOver() then break end
    count = count - 1
    bytes = bytes - #event[2][2]
  end
  redis.call('XTRIM', stream, 'MAXLEN', '=', count)
end
redis.call('HSET', meta, 'last', last, 'bytes', string.format('%.0f', bytes))
redis.call('PEXPIRE', stream, ttl)
redis.call('PEXPIRE', meta, ttl)
redis.call('PUBLISH', ARGV[4], '')
return last`);

/**
 * The events after an offset, unless the stream has not got there: for each its id and its text.
 *
 * KEYS: stream, meta. ARGV: milliseconds and sequence of the offset (empty: the start), limit (empty: none).
 */
export const afterScript: Script = new Script(`
local stream = KEYS[1]
local last = redis.call('HGET', KEYS[2], 'last')
local from = '-'
if ARGV[1] ~= '' then
  if not last then return false end
  local lastMs, lastSequence = string.match(last, '^(%d+)-(%d+)$')
  local ms, sequence = tonumber(ARGV[1]), tonumber(ARGV[2])
  lastMs, lastSequence = tonumber(lastMs), tonumber(lastSequence)
  if ms > lastMs or (ms == lastMs and sequence > lastSequence) then return false end
  from = '(' .. ARGV[1] .. '-' .. ARGV[2]
end
local reply = {}
if not last then return reply end
local events
if ARGV[3] == '' then
  events = redis.call('XRANGE', stream, from, '+')
else
  events = redis.call('XRANGE', stream, from, '+', 'COUNT', ARGV[3])
end
for at, event in ipairs(events or {}) do
  reply[2 * at - 1] = event[1]
  reply[2 * at] = event[2][2]
end
return reply`);
