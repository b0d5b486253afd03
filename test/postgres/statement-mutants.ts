/** A mistake in the statements that the differential test has to notice. */
export interface Mutant {
  readonly name: string;
  /** What the statements say, word for word. */
  readonly right: string;
  readonly wrong: string;
}

/** One mistake for each promise that the statements keep. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no fence: any epoch is heard',
    right: 'where i.id = s.id and i.epoch = s.epoch and',
    wrong: 'where i.id = s.id and',
  },
  {
    name: 'no fence on heartbeats',
    right: 'join inflight i on i.id = b.id and i.epoch = b.epoch',
    wrong: 'join inflight i on i.id = b.id',
  },
  {
    name: 'no stall check: a cleaner takes a run whose lease lives',
    right: 'and (not p_if_expired or i.lease_until <= p_now)',
    wrong: '',
  },
  {
    name: 'a repeated settlement is heard as another outcome',
    right: "= coalesce(s.record::json ->> 'settledBy', s.epoch || ':complete') then 'a'",
    wrong: "= coalesce(s.record::json ->> 'settledBy', s.epoch || ':complete') then 'f'",
  },
  {
    name: 'a repeated claim claims anew',
    right: 'where worker = p_worker and request = p_request;',
    wrong: 'where false;',
  },
  {
    name: 'an epoch is charged twice',
    right: 'select id, lane, epoch + 1, p_now',
    wrong: 'select id, lane, epoch + 2, p_now',
  },
  {
    name: 'a released run goes to the back',
    right: "lane, -nextval('front_order')",
    wrong: "lane, nextval('back_order')",
  },
  {
    name: 'a run is promoted before it is due',
    right: 'and run_at <= p_now\n',
    wrong: 'and run_at <= p_now + 40\n',
  },
  {
    name: 'due runs are promoted in the order of their submission',
    right: 'from (select * from due order by run_at, ord) due',
    wrong: 'from (select * from due order by id desc) due',
  },
  {
    name: 'a wish to cancel is forgotten by a settlement that goes on',
    right: "i.wants_cancel and s.move in ('r', 'b', 's')",
    wrong: 'false',
  },
  {
    name: 'a wish to cancel ends what has ended otherwise',
    right: "i.wants_cancel and s.move in ('r', 'b', 's')",
    wrong: 'i.wants_cancel',
  },
  {
    name: 'a full key is not waited for',
    right: 'v_next.key_waits and v_held >= v_next.key_limit',
    wrong: 'false',
  },
  {
    name: 'a key allows one start more',
    right: 'v_held >= v_next.key_limit then',
    wrong: 'v_held > v_next.key_limit then',
  },
  { name: 'a run over the limit takes a start', right: 'v_held < key_limit, record', wrong: 'true, record' },
  { name: 'parked runs stay parked', right: 'o_lanes := give_back(v_keys);', wrong: 'null;' },
  {
    name: 'a parked run comes back to the end of its lane',
    right:
      'select lane, ord, id, epoch, submitted_at, run_at, key, key_limit, key_waits, record from offered',
    wrong:
      "select lane, nextval('back_order'), id, epoch, submitted_at, run_at, key, key_limit, key_waits, record from offered",
  },
  {
    name: 'a heartbeat shrinks a lease',
    right: 'greatest(lease_until, v_now + p_lease)',
    wrong: 'v_now + p_lease',
  },
  {
    name: 'a redrive counts on',
    right: "record - '{errors,previousDelayMs,failures,stalls,releases,rateLimits}'::text[]",
    wrong: 'record',
  },
  {
    name: 'a redrive takes what was cancelled',
    right: "state in ('failed', 'stalled', 'rate_limited')",
    wrong: "state <> 'completed'",
  },
  {
    name: 'a discarded id stays taken',
    right: 'delete from run where id = any (array (select id from discarded))',
    wrong: 'select 1',
  },
  {
    name: 'a submission of a known id replaces it',
    right: 'on conflict do nothing\n',
    wrong: 'on conflict (id) do update set payload = excluded.payload\n',
  },
  {
    name: 'a claimed run stays in its lane',
    right:
      'delete from ready where ctid = any (array (select place from next where key is null)) returning *',
    wrong: 'select ready.* from ready where ctid = any (array (select place from next where key is null))',
  },
  {
    name: 'settled runs are counted twice',
    right: 'select count(*), 0 from fresh',
    wrong: 'select 2 * count(*), 0 from fresh',
  },
];
