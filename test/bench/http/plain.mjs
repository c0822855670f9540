// What the hand-written servers share, on Bun and on Node: one UPDATE that finds the key and counts the request, then one statement, both prepared; no
// validation, no metrics, no request id. The statements are what one writes who needs these answers alone, over the same tables but for the limits of keys,
// which have a table of the peers' own; page sizes stand in them as literals, which PostgreSQL plans once.
import { createHash } from "node:crypto"
import pg from "pg"

// Days stay what they are written as, instead of becoming a point in time.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)
// Counts are far from the end of what a number holds.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

// Like ours, they do not wait for the disk to count a request.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, options: "-c synchronous_commit=off" })

/**
 * A sliding window by two counters: requests of this minute, and of the last one as far as it reaches into the sixty seconds before now. Whether they come too
 * fast is seen of the whole minute alone.
 */
const check = `
  UPDATE peer_keys SET
    before = CASE floor(extract(epoch FROM now()) / 60) - minute WHEN 0 THEN before WHEN 1 THEN count ELSE 0 END,
    count = CASE WHEN minute = floor(extract(epoch FROM now()) / 60) THEN count + 1 ELSE 1 END,
    minute = floor(extract(epoch FROM now()) / 60)
  WHERE hash = $1
    AND CASE floor(extract(epoch FROM now()) / 60) - minute
      WHEN 0 THEN count + before * (1 - extract(epoch FROM now()) / 60 % 1) WHEN 1 THEN count * (1 - extract(epoch FROM now()) / 60 % 1) ELSE 0 END < per_minute
  RETURNING account_id`

const perPage = 20

const keywords = {
  text: `
    SELECT r.*, g.site_id, g.period_start, g.period_end, g.recorded_at FROM ranking_generations g CROSS JOIN LATERAL (
      SELECT key, query, page, current_position, previous_position, position_delta, impressions, clicks, ranking_status FROM rankings
      WHERE generation = g.id ORDER BY -impressions, -clicks, key LIMIT 21
    ) AS r
    WHERE g.account_id = $1 AND g.published IS NOT NULL AND g.superseded IS NULL
    ORDER BY -r.impressions, -r.clicks, r.key LIMIT 21`,
  record: (row) => ({
    id: `kw_${row.key.replaceAll("-", "")}`,
    site_id: row.site_id,
    query: row.query,
    page_path: row.page,
    current_position: row.current_position,
    previous_position: row.previous_position,
    position_delta: row.position_delta,
    impressions: row.impressions,
    clicks: row.clicks,
    ctr: row.impressions === 0 ? 0 : row.clicks / row.impressions,
    ranking_status: row.ranking_status,
    period: { start: row.period_start, end: row.period_end },
    recorded_at: row.recorded_at.toISOString()
  }),
  position: ({ clicks, impressions, key }) => [impressions, clicks, key]
}

const projects = {
  text: `SELECT id, name, url, host, brand_terms, created_at FROM projects WHERE account_id = $1 ORDER BY created_at, id LIMIT 21`,
  record: (row) => row,
  position: ({ created_at, id }) => [created_at, id]
}

const runs = {
  text: `
    SELECT id, project_id, status, phase, created_at, started_at, finished_at, counters, error, url, max_pages, check_dead_links,
      result IS NOT NULL AS result_available
    FROM site_health_runs WHERE account_id = $1 AND id = $2`
}

const audits = {
  text: `
    SELECT id, status, url, report->'overall_score' AS overall_score, report->'scores' AS scores, report->'core_web_vitals' AS core_web_vitals,
      metric_sources, report->'findings_summary' AS findings_summary, spread, created_at
    FROM audits WHERE account_id = $1 AND id = $2`
}

const statements = { audits, keywords, projects, runs }

export const paths = JSON.parse(process.env.BENCH_PATHS)

/** Answers a path of the benchmark: status and JSON text. */
export const respond = async (path, key) => {
  const hash = createHash("sha256").update(key).digest()
  const checked = await pool.query({ name: "check", text: check, values: [hash] })
  const [found] = checked.rows
  if (found === undefined) {
    const known = await pool.query("SELECT FROM peer_keys WHERE hash = $1", [hash])
    return [known.rowCount === 0 ? 401 : 429, "{}"]
  }
  const [, , , name, id] = path.split("/")
  const { position, record, text } = statements[name]
  const { rows } = await pool.query({
    name,
    text,
    values: id === undefined ? [found.account_id] : [found.account_id, id]
  })
  const self = `http://127.0.0.1${path}`
  if (record === undefined) return [200, JSON.stringify({ data: rows[0] })]
  const data = rows.slice(0, perPage)
  const last = rows.length > perPage ? btoa(JSON.stringify(position(data[perPage - 1]))) : undefined
  return [
    200,
    JSON.stringify({
      data: data.map(record),
      meta: { per_page: perPage, has_next: last !== undefined, total_in_batch: data.length, next_cursor: last },
      links: { self, next: last && `${self}?cursor=${last}` }
    })
  ]
}
