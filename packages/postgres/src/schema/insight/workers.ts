import { head } from '../signatures.ts';

/** The columns of a live worker, by the names of what is replied. */
const FIELDS: Readonly<Record<'worker' | 'lanes' | 'attendedAt' | 'aliveUntil' | 'facts', string>> = {
  worker: 'worker',
  lanes: 'lanes',
  attendedAt: 'attended_at',
  aliveUntil: 'until',
  facts: 'facts',
};

/** The workers whose registration has not lapsed. */
export const WORKERS: string = `
create function ${head('list_workers')} returns text language plpgsql stable {settings} as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      ${Object.entries(FIELDS)
        .map(([field, column]) => `'${field}', ${column}`)
        .join(', ')}) order by worker)::text, '[]')
    from attendance where until > now_ms());
end
$$;
`;
