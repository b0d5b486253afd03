import { unnestNumbered } from '../fragments.ts';
import { answer } from '../letters.ts';
import { call, head, settlementsOnly } from '../signatures.ts';

const SUBMISSION = {
  id: 'p_submit_ids',
  lane: 'p_submit_lanes',
  payload: 'p_submit_payloads',
  run_at: 'p_submit_run_ats',
  delay: 'p_submit_delays_ms',
  key: 'p_submit_keys',
  key_limit: 'p_submit_key_limits',
  key_waits: 'p_submit_key_waits',
  keeps_key: 'p_submit_keeps_keys',
  is_keyed: 'p_submit_keyed',
  keep_ms: 'p_submit_keep_results_ms',
  extras: 'p_submit_extras',
} as const;

const submitAccepted = call('submit_runs', {
  ids: 'array_agg(id order by n)',
  lanes: 'array_agg(lane order by n)',
  payloads: 'array_agg(payload order by n)',
  runAts: 'array_agg(run_at order by n)',
  delaysMs: 'array_agg(delay order by n)',
  keys: 'array_agg(key order by n)',
  keyLimits: 'array_agg(key_limit order by n)',
  keyWaits: 'array_agg(key_waits order by n)',
  keepsKeys: 'array_agg(keeps_key order by n)',
  keyed: 'array_agg(is_keyed order by n)',
  keepResultsMs: 'array_agg(keep_ms order by n)',
  extras: 'array_agg(extras order by n)',
  notify: 'p_notify',
});

/**
 * Settles runs each of which submits another one, in one statement: those of the settlements that are accepted are submitted, a known
 * id not again. Replies as \`settle_and_claim\` does. A function of its own, so that no other exchange carries its parameters.
 */
export const SETTLE_AND_SUBMIT: string = `
create function ${head('settle_and_submit')} returns setof text language plpgsql {settings} as $$
declare
  v_replies text[];
  v_answers text;
begin
  v_replies := array (select ${settlementsOnly()});
  v_answers := v_replies[1]::json ->> 'settled';
  perform ${submitAccepted}
  from ${unnestNumbered('given', SUBMISSION)}
  where substr(v_answers, n::integer, 1) = ${answer('settle', 'ok')} having count(*) > 0;
  return query select unnest(v_replies);
end
$$;
`;
