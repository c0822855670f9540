// The least that could answer the same list: Bun's server, node-postgres, one prepared statement that shapes the JSON.
// The driver brings no types along.
const pg = import.meta.require("pg")
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const account = process.env.BENCH_ACCOUNT

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async () => {
    const { rows } = await pool.query({
      name: "list",
      text: `SELECT json_build_object('data', coalesce(json_agg(p), '[]'))::text AS body FROM
        (SELECT id, name, url, host, iso(created_at) AS created_at FROM projects WHERE account_id = $1
         ORDER BY projects.created_at, id LIMIT 20) p`,
      values: [account]
    })
    return new Response(rows[0].body, { headers: { "content-type": "application/json" } })
  }
})
console.log(`answers on ${server.url.origin} (baseline)`)

export {}
