-- Locks the notes p_keys, and compares the version of each with what was seen of it, p_seen: 0 for
-- no note, null for any.
--
-- Returns the indexes of those that are something else, from 0.
-- Locks the rows of all its keys, in the order of the keys, and adds those that are missing, as
-- notes that have expired: a row that conflicts is locked, though never updated. Those that are not
-- written then have to be forgotten by `forget_unwritten`.
create function lock_notes(p_keys text[], p_seen bigint[]) returns bigint[] language plpgsql as $$
declare
  v_now bigint;
begin
  insert into note as present (key, value, version, written_at, until)
  select key, '', 0, 0, 0 from unnest(p_keys) as given (key)
  where heldLane(key) is null order by key collate "C"
  on conflict (key) do update set version = present.version where false;
  insert into hold as present (key, value, version, written_at, until, lane)
  select key, '', 0, 0, 0, heldLane(key) from unnest(p_keys) as given (key)
  where heldLane(key) is not null order by key collate "C"
  on conflict (key) do update set version = present.version where false;
  v_now := now_ms();
  return array (
    select n - 1 from unnest(p_keys, p_seen) with ordinality as given (key, seen, n)
    where seen <> coalesce((select version from note
      where note.key = given.key and isGone(note, v_now) is not true), 0)
    order by n);
end
$$;

-- Forgets those of the notes p_keys that have expired, as those have that `lock_notes` added.
--
-- Locks their rows, which `lock_notes` has locked.
create function forget_unwritten(p_keys text[]) returns void language plpgsql as $$
declare
  v_now bigint := now_ms();
begin
  delete from note where key = any (p_keys) and isGone(note, v_now);
end
$$;

-- Writes the notes p_keys at p_now, whatever they are: the values p_values, no value to delete one,
-- how long each is kept from now on, p_ttls_ms, and until when at least, p_ends, and how often a
-- hold lets a run through, p_probes_ms. Of other notes it forgets a few that have expired.
--
-- Returns their versions.
-- Locks their rows, which `lock_notes` has locked, and skips others that are locked.
create function put_notes(
  p_keys text[], p_values text[], p_ttls_ms bigint[], p_ends bigint[], p_probes_ms bigint[],
  p_now bigint
) returns bigint[] language plpgsql as $$
declare
  v_version bigint;
  v_versions bigint[] := '{}';
  v_lane text;
  v_held text[];
begin
  for v_n in 1 .. cardinality(p_keys) loop
    v_version := 0;
    if p_values[v_n] is null then
      delete from note where key = p_keys[v_n]
      returning case when version > 0 then heldLane(key) end into v_lane;
    else
      update note set value = p_values[v_n], version = nextval('note_version'), written_at = p_now,
        until = greatest(p_ends[v_n], case when p_ttls_ms[v_n] is not null
          then least(p_now + p_ttls_ms[v_n], Limit.instantAt) end),
        probe_ms = p_probes_ms[v_n]
      where key = p_keys[v_n] returning version, heldLane(key) into strict v_version, v_lane;
    end if;
    v_versions := v_versions || v_version;
    if v_lane is not null then
      v_held := v_held || v_lane;
    end if;
  end loop;
  delete from note where key = any (array (
    select key from note where isGone(note, p_now)
    order by until limit Limit.forgottenForEach * cardinality(p_keys)
    for update skip locked));
  perform notify_held(v_held);
  return v_versions;
end
$$;
