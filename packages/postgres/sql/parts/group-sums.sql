-- The columns of a sum over rows of a group.
sum(count)::bigint as count, sum(attempts)::bigint as attempts,
min(first_at) as first_at, max(last_at) as last_at,
latestOf(title) as title, latestOf(latest_id) as latest_id, latestOf(latest_ord) as latest_ord
