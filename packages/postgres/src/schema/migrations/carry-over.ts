import { quoteText } from '../migrations.ts';

/** The statements of a migration that keep what an administrator has put on functions and views. */
interface CarryOver {
  /** Before anything is dropped: collects in `v_kept` what is to be put back, and refuses what cannot be. */
  readonly keep: string;
  /** After everything was created. */
  readonly putBack: string;
}

/** Settings whose value is a list: it is stored as it has to be written. */
const LISTS = ['search_path', 'temp_tablespaces', 'local_preload_libraries', 'session_preload_libraries'];

/** The SQLSTATE of a migration that something of others is in the way of; the message says what to do. */
export const BLOCKED = 'RT003';

/**
 * Writes what carries the work of administrators over.
 *
 * - Of functions and views that are dropped and created again: grants, also on columns, comments, options of views. What cannot be put
 *   back (a trigger, a rule, a default, a security label, another owner) is refused, before anything has changed.
 * - Of every function, as `create or replace` loses them: settings that its definition does not name, and `security definer`.
 *
 * A grant is made again by the owner, whoever had made it. A column that the view no longer has takes its grants and comments with it.
 */
export function carryOver(schema: string): CarryOver {
  const name = quoteText(schema);
  return { keep: `${refuse(name)}${collect(name)}`, putBack: PUT_BACK };
}

/** Returns the SQL for the view or function of a key as statements name it. @param name - of the schema, quoted as a text */
export function objectOf(key: string, name: string): string {
  return `format('%I.%s', ${name}, substr(${key}, strpos(${key}, ' ') + 1))`;
}

/** Returns the SQL for the oid of the view or function of a key; null where there is none. @param name - of the schema, quoted as a text */
export function idOf(key: string, name: string): string {
  const object = objectOf(key, name);
  return `case when ${key} like 'view %' then to_regclass(${object})::oid when ${key} like '%(%' then to_regprocedure(${object})::oid end`;
}

/** What was created before and is in this version, too: by kind and name, as the types of a function may change. */
function former(name: string): string {
  return `former as (
          select made.key as key, created.key = any (v_outdated) as is_dropped, split_part(made.key, ' ', 1) as kind,
            ${objectOf('made.key', name)} as object,
            ${idOf('created.key', name)} as id,
            case when created.key like 'view %' then 'pg_class' else 'pg_proc' end::regclass as class,
            concat(v_created ->> created.key, ' ', v_heads ->> made.key) as heads
          from unnest(v_keys) as made (key)
          join jsonb_object_keys(v_created) as created (key) on split_part(created.key, '(', 1) = split_part(made.key, '(', 1)
        )`;
}

function refuse(name: string): string {
  return `
      with ${former(name)}, lost as (
        select kind, object, concat('the trigger ', quote_ident(tgname)) as what from former
        join pg_trigger on tgrelid = id and class = 'pg_class'::regclass where is_dropped and not tgisinternal
        union all
        select kind, object, concat('the rule ', quote_ident(rulename)) from former
        join pg_rewrite on ev_class = id and class = 'pg_class'::regclass where is_dropped and rulename <> '_RETURN'
        union all
        select kind, object, concat('the default of the column ', quote_ident(attname)) from former
        join pg_attribute on attrelid = id and class = 'pg_class'::regclass where is_dropped and atthasdef
        union all
        select kind, object, concat('the label of the provider ', quote_ident(provider)) from former
        join pg_seclabel on objoid = id and classoid = class where is_dropped
        union all
        select kind, object, concat('its owner ', quote_ident(pg_get_userbyid(owner))) from former
        join (
          select 'pg_proc'::regclass, oid, proowner from pg_proc union all select 'pg_class'::regclass, oid, relowner from pg_class
        ) as owned (owned_class, oid, owner) on oid = id and owned_class = class
        where is_dropped and pg_get_userbyid(owner) <> v_owner
      )
      select concat('the ', kind, ' ', object, ' has to be made anew, and would lose ', what, '. Remove that, migrate, and put it back.')
      into v_text from lost limit 1;
      if found then
        raise exception '%', v_text using errcode = '${BLOCKED}';
      end if;`;
}

function collect(name: string): string {
  const grant = (on: string): string =>
    `concat('grant ', privilege_type, ${on}, ' to ', case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
            case when is_grantable then ' with grant option' end)`;
  const lists = LISTS.map(quoteText).join(', ');
  return `
      with ${former(name)}, set_on as (
        select object, heads, split_part(setting, '=', 1) as name, substr(setting, strpos(setting, '=') + 1) as value
        from former join pg_proc p on p.oid = id and kind = 'function', unnest(proconfig) as setting
      ), granted as (
        select case kind when 'view' then 'table' else kind end as kind, object, acl from former
        join (
          select 'pg_proc'::regclass, oid, coalesce(proacl, acldefault('f', proowner)) from pg_proc
          union all select 'pg_class'::regclass, oid, coalesce(relacl, acldefault('r', relowner)) from pg_class
        ) as held (held_class, oid, acl) on oid = id and held_class = class
        where is_dropped
      ), roles as (
        select string_agg(distinct case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end, ', ') as names
        from (
          select grantee from granted, aclexplode(acl)
          union all select grantee from pg_default_acl, aclexplode(defaclacl)
          union all select 0::oid
        ) as one
      ), kept (place, sql, object, attname) as (
        select 1, format('alter function %s set %I = %s', object, name,
          case when name in (${lists}) then value else quote_literal(value) end), object, null::name
        from set_on where strpos(heads, concat('set ', name, ' ')) = 0
        union all
        select 1, format('alter function %s security definer', object), object, null
        from former join pg_proc p on p.oid = id and kind = 'function'
        where prosecdef and strpos(heads, 'security definer') = 0
        union all
        select 1, format('alter view %s set (%I = %L)', object, split_part(option, '=', 1), substr(option, strpos(option, '=') + 1)),
          object, null
        from former join pg_class c on c.oid = id and kind = 'view', unnest(reloptions) as option where is_dropped
        union all
        select 1, case when attname is null then format('comment on %s %s is %L', kind, object, description)
          else format('comment on column %s.%I is %L', object, attname, description) end, object, attname
        from former join pg_description d on objoid = id and classoid = class
        left join pg_attribute on attrelid = id and attnum = objsubid and objsubid > 0
        where is_dropped
        union all
        select 2, format('revoke all on %s %s from %s', kind, object, names), object, null from granted, roles
        union all
        select 3, ${grant(`' on ', kind, ' ', object`)}, object, null from granted, aclexplode(acl)
        union all
        select 3, ${grant(`' (', quote_ident(attname), ') on table ', object`)}, object, attname
        from former join pg_attribute on attrelid = id and kind = 'view', aclexplode(attacl) where is_dropped
      )
      select coalesce(jsonb_agg(kept order by place), '[]') into v_kept from kept;`;
}

/** A superuser may have made settings that no other role may make. */
const PUT_BACK = `
      if v_may_all then
        perform set_config('role', v_role, true);
      end if;
      for v_text in
        select kept ->> 'sql' from jsonb_array_elements(v_kept) as kept
        where kept ->> 'attname' is null or exists (
          select from pg_attribute
          where attrelid = to_regclass(kept ->> 'object') and attname = kept ->> 'attname' and not attisdropped)
      loop
        execute v_text;
      end loop;`;
