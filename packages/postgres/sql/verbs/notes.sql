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
-- Locks what `lock_notes` locks. The clock is read after that.
create function write_notes(
  p_keys text[], p_seen bigint[], p_values text[], p_ttls_ms bigint[], p_ends bigint[],
  p_probes_ms bigint[]
) returns text language plpgsql
-- @include settings
as $$
declare
  v_changed bigint[] := lock_notes(p_keys, p_seen);
  v_now bigint := now_ms();
begin
  if v_changed <> '{}' then
    perform forget_unwritten(p_keys);
    return json_build_object('outcome', 'changed', 'changed', v_changed, 'now', v_now)::text;
  end if;
  return json_build_object('outcome', 'written', 'versions', put_notes(
    p_keys => p_keys, p_values => p_values, p_ttls_ms => p_ttls_ms, p_ends => p_ends,
    p_probes_ms => p_probes_ms, p_now => v_now), 'now', v_now)::text;
end
$$;
