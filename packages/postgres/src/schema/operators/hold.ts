/**
 * Whether any lanes are on hold: what each exchange asks. The condition holds for every row, and lets the server read the table, which
 * is empty as a rule, without opening its index: that would be a fortieth of the time of an exchange of one run.
 */
export const IS_ANY_HELD = `exists (select from hold where ctid >= '(0,0)')`;

/** In place of the lane of a hold of all lanes; no lane has an empty name. */
const ALL_LANES = `''`;

/** Later than every instant. */
const FOR_EVER = '9223372036854775807';

/** Whether a hold keeps the runs of its lane from being started. One of these that is not active and probes lets a run through. */
const isActive = (hold: string, now: string): string => `(${hold}.until is null or ${hold}.until > ${now})`;

/** Until when no run of a lane may start: null when it is not on hold, the last of all numbers when it has to be resumed. */
export const heldUntil = (lane: string, now: string): string =>
  `(select max(coalesce(h.until, ${FOR_EVER})) from hold h where h.lane in (${ALL_LANES}, ${lane}) and ${isActive('h', now)})`;

/**
 * Whether a claim may start runs of a lane: for the condition of the statement that finds them. A hold that was answered after the
 * claim had looked for holds may come before a run that the statement sees.
 */
export const isOpen = (lane: string, now: string): string => `${heldUntil(lane, now)} is null`;

/**
 * When a claim gets more of a lane by time alone: when its next scheduled run is due, or its hold ends; null when neither comes. What
 * is due while the lane is on hold does not count before the hold ends.
 */
export const nextWorkAt = (lane: {
  readonly hasReady: string;
  readonly due: string;
  readonly until: string;
}): string =>
  `nullif(case when ${lane.until} is null then ${lane.due} when ${lane.hasReady} then ${lane.until}
      when ${lane.due} is not null then greatest(${lane.due}, ${lane.until}) end, ${FOR_EVER})`;

/**
 * Holds of lanes. The statement that finds the runs of a claim reads them too, and so starts none that was submitted after a hold
 * of its lane was answered, whenever the claim began.
 *
 * - \`forget_holds\` removes those that have ended: they are no longer looked at. One that probes ends only when it is resumed.
 * - \`notify_held\` makes waiting processes poll for work of these lanes, of every lane if \`''\` is among them; of none if they are null.
 */
export const HOLDS: string = `
create function forget_holds(p_now bigint) returns void language sql as $$
  delete from hold where ctid = any (array (
    select ctid from hold where probe_ms is null and until <= p_now for update skip locked))
$$;

create function notify_held(p_lanes text[]) returns void language plpgsql as $$
begin
  if p_lanes is null then
    return;
  end if;
  if ${ALL_LANES} <> all (p_lanes) then
    perform notify_waiters(null, p_lanes, false);
  elsif exists (select from waiter where until > now_ms() and not for_results) then
    perform pg_notify({channel}, '');
  end if;
end
$$;
`;
