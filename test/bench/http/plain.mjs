// What the hand-written servers share, on Bun and on Node: one look-up of the key with its limit, one statement, both prepared; no validation, no
// metrics, no request id. The statements are those that our own server sends, handed over by the benchmark.
import { createHash } from "node:crypto"
import pg from "pg"

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const statements = JSON.parse(process.env.BENCH_STATEMENTS)

export const paths = Object.keys(statements)

/** Answers a path of the benchmark: status and JSON text. */
export const respond = async (path, key) => {
  const hash = createHash("sha256").update(key).digest()
  const checked = await pool.query({
    name: "check",
    text: "SELECT * FROM check_rate_limit($1)",
    values: [hash]
  })
  const [found] = checked.rows
  if (found === undefined || found.wait_seconds !== null) return [found === undefined ? 401 : 429, "{}"]
  const { list, name, text, values } = statements[path]
  const { rows } = await pool.query({ name, text, values })
  if (!list) return [200, `{"data":${JSON.stringify(rows[0])}}`]
  const data = rows.slice(0, 20).map((row) => row.json ?? JSON.stringify(row))
  const links = `{"self":"http://127.0.0.1${path}"}`
  return [200, `{"data":[${data.join(",")}],"meta":{"per_page":20,"has_next":${rows.length > 20}},"links":${links}}`]
}
