import { askAboutDueTimes, askAboutLanes } from '../support/telling-scenes/insight.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';

/** Mistakes in what operators are told. */
export const INSIGHT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a lane leaves out what waits for its key',
    right: 'union all select from parked p where p.lane = asked.lane and p.key_limit > 0 union all',
    wrong: 'union all',
    scene: askAboutLanes,
  },
  {
    name: 'the next run of a lane is the last one',
    right: 'where f.lane = asked.lane order by f.ord limit 1',
    wrong: 'where f.lane = asked.lane order by f.ord desc limit 1',
    scene: askAboutLanes,
  },
  {
    name: 'a run of a lane is due since it was submitted first',
    right: "nullif(read_count(read_record(r.record), 'runAt'), 0)",
    wrong: 'r.created_at',
    scene: askAboutLanes,
  },
  {
    name: 'what is due is not claimable before a claim promotes it',
    right: 's.run_at <= v_now order by s.run_at limit 1))',
    wrong: 's.run_at <= v_now order by s.run_at limit 0))',
    scene: askAboutLanes,
  },
  {
    name: 'what is scheduled for later counts as due',
    right: 'where s.lane = asked.lane and s.run_at <= v_now limit',
    wrong: 'where s.lane = asked.lane limit',
    scene: askAboutLanes,
  },
  {
    name: 'lanes in which everything is scheduled are left out',
    right: 'union select lane from in_schedule union',
    wrong: 'union',
    scene: askAboutLanes,
  },
  {
    name: 'a run counts in the span that ends when it is due',
    right: '(s.run_at - p_from) / p_bucket_ms as bucket',
    wrong: 'greatest(s.run_at - p_from - 1, 0) / p_bucket_ms as bucket',
    scene: askAboutDueTimes,
  },
  {
    name: 'what is due at the end of the last span is in no span',
    right: 's.run_at >= v_to',
    wrong: 's.run_at > v_to',
    scene: askAboutDueTimes,
  },
];
