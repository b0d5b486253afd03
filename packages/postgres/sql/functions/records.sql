-- Reads the record p_record as far as possible: the column may contain anything that a user wrote
-- there.
--
-- Returns an object, an empty one for what is none.
create function read_record(p_record text) returns jsonb language plpgsql immutable as $$
begin
  return case when jsonb_typeof(p_record::jsonb) = 'object' then p_record::jsonb else '{}' end;
exception when others then
  return '{}';
end
$$;

-- Reads the count p_name of a record p_record.
--
-- Returns a safe integer, 0 for what is none.
create function read_count(p_record jsonb, p_name text) returns bigint language sql immutable as $$
  select case when jsonb_typeof(p_record -> p_name) = 'number'
    then greatest(0, least((p_record ->> p_name)::numeric, Limit.safeInteger))::bigint else 0 end
$$;

-- Names the state of the letter p_state.
--
-- Returns null for an unknown one.
create function state_name(p_state "char") returns text language sql immutable as $$
  select nameOf(p_state, NameOfState)
$$;

-- Reads a list of texts, p_list.
--
-- Returns an array, null for what is no list.
create function texts_of(p_list json) returns text[] language sql immutable as $$
  select case when json_typeof(p_list) = 'array'
    then array (select json_array_elements_text(p_list)) end
$$;
