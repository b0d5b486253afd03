/** A mistake in the scripts that the differential test has to notice. */
export interface Mutant {
  readonly name: string;
  /** What the scripts say, word for word. */
  readonly right: string;
  readonly wrong: string;
}

/** One mistake for each promise that the scripts keep. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no fence: any epoch is heard',
    right: 'if byte(old, 1) ~= 114 or epochOf(old) ~= epoch then return',
    wrong: 'if byte(old, 1) ~= 114 then return',
  },
  {
    name: 'no fence on heartbeats',
    right: 'elseif byte(record, 1) ~= 114 or epochOf(record) ~= heartbeats[index * 2] then',
    wrong: 'elseif byte(record, 1) ~= 114 then',
  },
  {
    name: 'a repeated first completion is fenced',
    right: 'return byte(record, 1) == 67 and by == FIRST_BY',
    wrong: 'return false',
  },
  {
    name: 'a heartbeat moves the first start',
    right: 'isShort(record) and 16 or 52',
    wrong: 'isShort(record) and 3 or 52',
  },
  {
    name: 'a first start does not know that it holds a key',
    right: "record = 'r' .. char(64 + bits)",
    wrong: "record = 'r' .. char(64 + bits - bits % 4)",
  },
  {
    name: 'a first completion keeps its lease',
    right: "if many('ZREM', LEASES, ids) < #ids then return false end",
    wrong: '',
  },
  {
    name: 'a first completion that comes twice at once counts twice',
    right: "if many('ZREM', LEASES, ids) < #ids then return false end",
    wrong: "many('ZREM', LEASES, ids)",
  },
  {
    name: 'no stall check: a cleaner takes a run whose lease lives',
    right: "if mode % 2 >= 1 and isAlive(id) then return 'f' end",
    wrong: '',
  },
  {
    name: 'a repeated settlement is heard as another outcome',
    right: "return isSettledBy(old, by) and 'a' or 'f' end",
    wrong: "return 'f' end",
  },
  {
    name: 'a repeated claim claims anew, and charges again',
    right: 'if known then\n',
    wrong: 'if known and false then\n',
  },
  {
    name: 'an epoch is charged twice',
    right: 'tonumber(text) + 1)',
    wrong: 'tonumber(text) + 2)',
  },
  {
    name: 'a push to the front is lost',
    right: "  many('ZADD', FRONT, members)",
    wrong: '',
  },
  {
    name: 'a released run goes to the back',
    right: 'if byte(record, 1) == 119 and mode % 4 >= 2 then',
    wrong: 'if false then',
  },
  {
    name: 'a lease shrinks',
    right: "call('ZADD', LEASES, 'GT', unpack(",
    wrong: "call('ZADD', LEASES, unpack(",
  },
  {
    name: 'the schedule is early',
    right: "until_ = tag .. '\\0' .. dueText(now + 1)",
    wrong: "until_ = tag .. '\\0' .. dueText(now + 31)",
  },
  {
    name: 'a completed run forgets the stack of its last error',
    right: "(hasStack(old) and '8' or '0')",
    wrong: "'0'",
  },
  {
    name: 'a key is not freed',
    right: 'if flags % 4 >= 2 then freeSlot(id) end',
    wrong: '',
  },
  {
    name: 'a free key gives nothing back',
    right: '  changeSlots(key, -1)\n  unparkNext(key)',
    wrong: '  changeSlots(key, -1)',
  },
  {
    name: 'a wish to cancel is not obeyed',
    right: 'moveRun(id, applyCancelRequest(flags, dueAfter(record, dueInMs)), mode',
    wrong: 'moveRun(id, dueAfter(record, dueInMs), mode',
  },
  {
    name: 'a cancelled run is not noted as a ghost',
    right: "call('HINCRBY', CANCELLED_IN_LANE, lane .. '\\0' .. id, 1)",
    wrong: '',
  },
  {
    name: 'a settled run keeps its lease',
    right: "many('ZREM', LEASES, settledIds)",
    wrong: '',
  },
  {
    name: 'the limit of a key counts one too many',
    right: 'if slotsTakenOf(key) < tonumber(limit) then',
    wrong: 'if slotsTakenOf(key) <= tonumber(limit) then',
  },
  {
    name: 'a delay of a settlement counts from the instant that the worker knew',
    right: 'if delayMs < 0 or byte(record, 1) ~= 100 then return record end',
    wrong: 'if true then return record end',
  },
  {
    name: 'a result that was collected is kept twice',
    right: "  many('ZREM', AWAITED, ids)\n",
    wrong: '',
  },
  {
    name: 'runs of other lanes are found expired',
    right: "(isWanted[note] or false) == (mode == 'only')",
    wrong: 'true',
  },
  {
    name: 'a cancel request is found for a lease that is over',
    right: 'byte(record, 1) == 114 and epochOf(record) == leases[index * 2]',
    wrong: 'byte(record, 1) == 114',
  },
];
