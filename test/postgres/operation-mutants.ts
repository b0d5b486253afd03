/** Mistakes in what operators and holds do; like those of `statement-mutants.ts`. */
import { IS_ANY_HELD } from '../../packages/postgres/src/schema/operators/hold.ts';
import { CREATED_AT } from '../../packages/postgres/src/schema/operators/locations.ts';
import type { Mutant } from './statement-mutants.ts';

/** One mistake for each promise about holds, ends by hand and reschedules. */
export const OPERATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'claims look at no hold',
    right: IS_ANY_HELD,
    wrong: 'false',
  },
  {
    name: 'a hold of all lanes is one of none',
    right: `h.lane in ('', asked.lane)`,
    wrong: 'h.lane = asked.lane',
  },
  {
    name: 'a hold never ends',
    right: '(h.until is null or h.until > p_now)',
    wrong: '(h.until is null or h.until > 0)',
  },
  {
    name: 'a hold that has to be resumed ends by itself',
    right: '(h.until is null or h.until > p_now)',
    wrong: 'h.until > p_now',
  },
  {
    name: 'a probe lets all runs through',
    right: 'when probes > 0 then least(most, 1)',
    wrong: 'when probes > 0 then most',
  },
  {
    name: 'a probe is followed by the next one',
    right: 'set until = least(p_now + probe_ms,',
    wrong: 'set until = least(p_now,',
  },
  {
    name: 'a probe that gets no run counts as one',
    right: 'and h.lane = any (c.lanes)',
    wrong: '',
  },
  {
    name: 'a shorter hold replaces a longer one that is to be kept',
    right: 'not coalesce(p_keep_longer[v_n], false)',
    wrong: 'true',
  },
  {
    name: 'a resume ends the holds of every source',
    right: 'and (p_sources[v_n] is null or source = p_sources[v_n])',
    wrong: '',
  },
  {
    name: 'a run that is ready and rescheduled for now loses its place',
    right: 'or a.due > v_now;',
    wrong: 'or true;',
  },
  {
    name: 'a reschedule forgets when a run was created',
    right: `created_at = ${CREATED_AT},\n      submitted_at = case when next.is_later`,
    wrong: 'submitted_at = case when next.is_later',
  },
  {
    name: 'a rescheduled run stays where it was, too',
    right: 'perform remove_from_locations(v_moved);',
    wrong: 'null;',
  },
  {
    name: 'an error by hand keeps the stacks of those before',
    right: "then error - 'stack' else",
    wrong: 'then error else',
  },
  {
    name: 'a run that is completed by hand has the result of none',
    right: 'result = a.result,\n      error_name = coalesce',
    wrong: 'error_name = coalesce',
  },
  {
    name: 'policies and origins are lost by a claim',
    right: `coalesce((extras)::text, '')`,
    wrong: `coalesce((null)::text, '')`,
  },
  {
    name: 'a settlement that is not accepted submits its run',
    right: "where substr(v_answers, n::integer, 1) = 'o' having",
    wrong: 'having',
  },
  {
    name: 'a settlement submits a run that is due later for now',
    right: 'p_delays_ms => array_agg(delay order by n)',
    wrong: 'p_delays_ms => null',
  },
];
