-- Reads notes whose keys begin with p_prefix, behind the key p_after, at most p_limit. Those of
-- holds are in the table `hold`, which inherits from `note`: what reads, updates and deletes notes
-- does so in both. A row that has expired is no note.
--
-- Returns them as JSON, with the clock and the key behind which the next page begins.
create function read_notes(p_prefix text, p_after text, p_limit bigint)
returns text language plpgsql stable
-- @include settings
as $$
declare
  v_now bigint := now_ms();
  v_note note;
  v_notes json[] := '{}';
  v_looked bigint := 0;
  v_bytes bigint := 0;
  v_last text;
  v_next text;
begin
  for v_note in
    select * from note where key >= p_prefix and key > coalesce(p_after, '') order by key
  loop
    exit when not starts_with(v_note.key, p_prefix);
    if v_looked = p_limit or v_bytes > Limit.replyBytes then
      v_next := v_last;
      exit;
    end if;
    v_looked := v_looked + 1;
    v_last := v_note.key;
    continue when isGone(v_note, v_now);
    v_bytes := v_bytes + octet_length(v_note.value);
    v_notes := v_notes || json_build_object('key', v_note.key, 'value', v_note.value,
      'version', v_note.version, 'writtenAt', v_note.written_at, 'expiresAt', v_note.until,
      'probeMs', v_note.probe_ms);
  end loop;
  return json_strip_nulls(json_build_object('notes', to_json(v_notes), 'now', v_now,
    'next', v_next))::text;
end
$$;

-- Writes notes, all or none, each only if its version is what was seen.
--
-- p_keys, p_seen, p_values: the notes, the version that was seen of each, 0 for no note, null for
--   any, and the values; no value deletes the note
-- p_ttls_ms, p_ends: how long each is kept from now on, and until when at least
-- p_probes_ms: how often a hold lets a run through
--
-- Returns as JSON the versions, or which notes were changed meanwhile, with the clock.
-- Locks the rows of all its keys, in the order of the keys, and adds those that are missing, as
-- notes that have expired: a row that conflicts is locked, though never updated. The clock is read
-- after that. Those of a write that is refused are deleted, and of each other write a few more.
create function write_notes(
  p_keys text[], p_seen bigint[], p_values text[], p_ttls_ms bigint[], p_ends bigint[],
  p_probes_ms bigint[]
) returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint;
  v_changed bigint[];
  v_version bigint;
  v_versions bigint[] := '{}';
  v_lane text;
  v_held text[];
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
  v_changed := array (
    select n - 1 from unnest(p_keys, p_seen) with ordinality as given (key, seen, n)
    where seen <> coalesce((select version from note
      where note.key = given.key and isGone(note, v_now) is not true), 0)
    order by n);
  if v_changed <> '{}' then
    delete from note where key = any (p_keys) and isGone(note, v_now);
    return json_build_object('outcome', 'changed', 'changed', v_changed, 'now', v_now)::text;
  end if;
  for v_n in 1 .. cardinality(p_keys) loop
    v_version := 0;
    if p_values[v_n] is null then
      delete from note where key = p_keys[v_n]
      returning case when version > 0 then heldLane(key) end into v_lane;
    else
      update note set value = p_values[v_n], version = nextval('note_version'), written_at = v_now,
        until = greatest(p_ends[v_n], case when p_ttls_ms[v_n] is not null
          then least(v_now + p_ttls_ms[v_n], Limit.instantAt) end),
        probe_ms = p_probes_ms[v_n]
      where key = p_keys[v_n] returning version, heldLane(key) into strict v_version, v_lane;
    end if;
    v_versions := v_versions || v_version;
    if v_lane is not null then
      v_held := v_held || v_lane;
    end if;
  end loop;
  delete from note where key = any (array (
    select key from note where isGone(note, v_now)
    order by until limit Limit.forgottenForEach * cardinality(p_keys)
    for update skip locked));
  perform notify_held(v_held);
  return json_build_object('outcome', 'written', 'versions', v_versions, 'now', v_now)::text;
end
$$;
