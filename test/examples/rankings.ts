import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Accounts, Database, Guarded, Projects } from "findable"
import { Imports, rows } from "findable/rankings"

// Search Console files from one's own export: their contents, and their import into a database.

const file = new TextEncoder().encode(
  "Date,Query,Page,Clicks,Impressions,CTR,Position\n" +
    "2026-11-01,red shoes,https://shop.example/shoes,3,40,7.5%,4.2\n" +
    "2026-11-02,red shoes,https://shop.example/shoes,5,50,10%,3.9\n"
)

const read = (text: Uint8Array) =>
  rows("gsc-csv", "october.csv", { host: "shop.example", origin: "https://shop.example" })(Stream.make(text))

const program = Effect.gen(function* () {
  const accounts = yield* Accounts
  const imports = yield* Imports
  const projects = yield* Projects

  const seen = yield* Stream.runFold(read(file), 0, (count, { rows }) => count + rows.length)
  const wrong = yield* Effect.flip(
    Stream.runDrain(
      read(new TextEncoder().encode("Date,Query,Page,Clicks,Impressions,Position\nyesterday,a,/,1,1,1\n"))
    )
  )

  const { id: account } = yield* accounts.findOrCreate("the shop", "starter")
  const { host, id, url } = yield* projects.create(account, { url: "https://shop.example" })
  const request = { renews: true, site: { account, host, id, url }, source: "gsc-csv" } as const
  const first = yield* imports.run(request, read(file))
  const again = yield* imports.run(request, read(file))
  console.log(JSON.stringify({ again: again.changed, first: first.changed, seen, wrong: wrong.message }))
})

const services = Layer.mergeAll(Accounts.Default, Imports.Default, Projects.Default).pipe(
  Layer.provide(Guarded.layer),
  Layer.provide(Database.layer)
)

await Effect.runPromise(Effect.provide(program, services))
