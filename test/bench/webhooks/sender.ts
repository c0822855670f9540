// The smallest program that could send the same deliveries: it claims in batches, computes HMACs, sends by `fetch` with keep-alive, and writes once for
// each delivery. It checks no IP addresses, records no attempts, retries nothing, and takes no turns between accounts.
import { createHmac } from "node:crypto"

// The driver brings no types along.
const pg = import.meta.require("pg")
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const most = 64
let inFlight = 0
let again = false
let claiming = false

const deliver = async (row: { id: string; url: string; secret: string; body: string }) => {
  const t = Math.floor(Date.now() / 1000)
  const signature = createHmac("sha256", row.secret).update(`${t}.${row.body}`).digest("hex")
  const response = await fetch(row.url, {
    body: row.body,
    headers: { "content-type": "application/json", "service-signature": `t=${t},v1=${signature}` },
    method: "POST"
  })
  await response.arrayBuffer()
  await pool.query({
    name: "done",
    text: "UPDATE bare_deliveries SET state = 'delivered', status = $2, finished_at = clock_timestamp() WHERE id = $1",
    values: [row.id, response.status]
  })
  inFlight--
  void claim()
}

const claim = async () => {
  again = true
  if (claiming) return
  claiming = true
  while (again && inFlight < most) {
    again = false
    const { rows } = await pool.query({
      name: "claim",
      text: `UPDATE bare_deliveries SET state = 'sending' WHERE id IN (
        SELECT id FROM bare_deliveries WHERE state = 'due' ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING id, url, secret, body`,
      values: [most - inFlight]
    })
    inFlight += rows.length
    for (const row of rows) void deliver(row)
  }
  claiming = false
}

const listener = new pg.Client({ connectionString: process.env.DATABASE_URL })
await listener.connect()
listener.on("notification", claim)
await listener.query("LISTEN bare")
setInterval(claim, 250)
console.log("sends")
