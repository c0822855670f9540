import { mkdtempSync, rmSync } from "node:fs"
import { networkInterfaces, tmpdir } from "node:os"
import { join } from "node:path"
import { insider } from "./attackers.ts"
import { type Node, node } from "./node.ts"
import { type Postgres, postgres } from "./postgres.ts"
import { archives, published, type Who, type WordPress, wordpressAt } from "./wordpress/site.ts"

const scopes = ["*", "interventions:read", "interventions:write"]
const meta = "_seo_description"

/** An isolated network namespace; a user other than root keeps his id in it. */
const namespace = [
  "unshare",
  ...(process.getuid?.() === 0 ? [] : ["--map-current-user", "--keep-caps"]),
  "--net",
  "sh",
  "-c",
  'ip link set lo up && exec "$0" "$@"'
]

const ran = (words: ReadonlyArray<string>, cwd = ".") => {
  try {
    const { exitCode, stderr, stdout } = Bun.spawnSync([...words], { cwd })
    return { isWell: exitCode === 0, said: `${stdout}${stderr}` }
  } catch (error) {
    return { isWell: false, said: String(error) }
  }
}

/** All promises of the connector, with one WordPress; returns the number of broken ones. */
const laws = async (serving: Node, database: Postgres, site: WordPress) => {
  const { account, key } = await insider(database, scopes)
  let broken = 0
  const tell = (what: string, holds: boolean, met: unknown) => {
    if (!holds) broken++
    console.log(`${holds ? "well " : "wrong"} ${what}${holds ? "" : `\n${JSON.stringify(met)}`}`)
  }
  const made = await serving.ask("POST", "/api/v1/projects", { body: { url: site.url }, key })
  const root = `/api/v1/projects/${made.body.data.id}`
  const connect = (who: Who, application_password = site.passwords[who]) =>
    serving.ask("PUT", `${root}/connectors/wordpress`, {
      body: { application_password, url: site.url, username: who },
      key
    })
  const write = async (fields: object, post: object = { post_id: site.post, post_type: "posts" }) =>
    serving.ask("POST", `${root}/interventions`, { body: { connector: "wordpress", ...post, ...fields }, key })
  const rollBack = (id: string) => serving.ask("POST", `${root}/interventions/${id}/roll-back`, { body: {}, key })
  const stored = () => site.rest("editor", "GET", `/wp/v2/posts/${site.post}`)
  const shown = async () => (await fetch((await stored()).link)).text()
  /** A request that must be refused without any write. */
  const refused = async (what: string, ask: () => ReturnType<typeof write>, status: number, says: RegExp) => {
    const [before, writes] = [JSON.stringify(await stored()), site.writes()]
    const answer = await ask()
    const isUntouched = site.writes() === writes && JSON.stringify(await stored()) === before
    const isSo = answer.status === status && says.test(JSON.stringify(answer.body.error))
    tell(`${what} is ${status}, and nothing is written`, isSo && isUntouched, [answer.body, isUntouched])
  }
  /** A change that goes live, and is rolled back. */
  const changed = async (
    what: string,
    fields: object,
    holds: (page: string, post: Awaited<ReturnType<typeof stored>>) => boolean
  ) => {
    const before = await stored()
    const { body, status } = await write(fields)
    const isLive = holds(await shown(), await stored())
    tell(
      `${what} is written, read back and shown: deployed`,
      status === 201 && body.data.status === "deployed" && isLive,
      body
    )
    const back = await rollBack(body.data?.id)
    const after = await stored()
    const isBack = JSON.stringify([after.title, after.meta]) === JSON.stringify([before.title, before.meta])
    tell(`${what} is rolled back`, back.body.data?.status === "rolled_back" && isBack, back.body)
  }

  await connect("editor")
  const title = 'Shoes & "Boots" - it\'s all 5 < 6'
  await changed(
    "a title",
    { title },
    (page, post) => post.title.raw === title && page.includes("Shoes &#038; &#8220;Boots")
  )
  await changed("a registered meta field", { meta: { [meta]: 'What we "sell" & why' } }, (page) =>
    page.includes('content="What we &quot;sell&quot; &amp; why"')
  )
  await connect("author")
  await changed(
    "a title by an author, which WordPress stores with entities,",
    { title },
    (page, post) => post.title.raw.startsWith("Shoes &amp;") && page.includes("Boots")
  )
  await changed("a title with blanks at its ends", { title: " Boots " }, (_, post) => post.title.raw === "Boots")

  await connect("editor")
  await changed(
    "a title that is given with entities",
    { title: "Shoes &amp; Boots" },
    (_, post) => post.title.raw === "Shoes &amp; Boots"
  )
  const mine = (await write({ title: "Boots" })).body.data
  await site.rest("colleague", "POST", `/wp/v2/posts/${site.post}`, { title: "Sandals" })
  await refused(
    "a rollback after somebody else's edit",
    () => rollBack(mine.id),
    409,
    /"conflict".*title has another value/
  )
  tell("the title is still the colleague's", (await stored()).title.raw === "Sandals", await stored())

  const other = { meta: { _other: "x" } }
  await refused(
    "a meta field that is not registered",
    () => write(other),
    422,
    /not registered for posts.*"meta\._other"/
  )
  await refused(
    "a meta field of posts at a page",
    () => write({ meta: { [meta]: "x" } }, { post_id: site.page, post_type: "pages" }),
    422,
    /not registered for pages/
  )
  site.hide(true)
  const dropped = (await write(other)).body.data
  site.hide(false)
  tell(
    "a meta field that WordPress takes with 200 and drops is not deployed, and says so",
    dropped?.status === "not_verified" && /did not save it/.test(dropped.error),
    dropped
  )
  await refused(
    "a post that is not there",
    () => write({ title: "x" }, { post_id: 4040, post_type: "posts" }),
    422,
    /"post_id"/
  )
  await connect("editor", "abcd EFGH ijkl MNOP qrst UVWX")
  await refused("a wrong password", () => write({ title: "x" }), 409, /rejects the username or application password/)
  await connect("reader")
  await refused("a user who may not edit", () => write({ title: "x" }), 409, /not allowed to edit/)
  await connect("editor")
  await site.stop()
  const away = await write({ title: "x" })
  tell("a WordPress that is away is 503", away.status === 503, away)

  const types = await database.query(
    "SELECT type, count(*)::int AS count FROM events WHERE account_id = $1 AND type LIKE 'intervention.%' GROUP BY type ORDER BY type",
    [account]
  )
  const events = types.map(({ count, type }) => `${count} ${type}`).join(", ")
  tell("each is told once", events === "6 intervention.deployed, 5 intervention.rolled_back", events)
  return broken
}

const inside = async (home: string): Promise<boolean> => {
  const ways = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).filter(({ internal }) => !internal))
  if (ways.length > 0) throw new Error("This network leads to others")
  const database = await postgres()
  const serving = await node({ DATABASE_URL: database.url(), FINDABLE_CHILD_NICENESS: "0" })
  let broken = 0
  for (const [index, permalinks] of ["/%postname%/", ""].entries()) {
    const site = await wordpressAt(home, permalinks, 8081 + index)
    console.log(`WordPress ${site.version} on PHP ${site.php}, permalinks ${permalinks === "" ? "plain" : permalinks}`)
    broken += await laws(serving, database, site)
  }
  await serving.end("SIGTERM")
  await database.remove()
  return broken === 0
}

/**
 * `wordpress [FILE]`: changes in a real WordPress, with PHP's own server and SQLite, in a network namespace without a route to the outside. FILE is the
 * output of `npm pack` for the package; without it npm downloads it (159 MB).
 */
export const wordpress = async ([first, second]: ReadonlyArray<string>): Promise<boolean> => {
  if (first === "--inside" && second !== undefined) return await inside(second)
  const skipped = (why: string) => {
    console.log(`\n*** SKIPPED, nothing was shown: ${why.trim()} ***\n`)
    return true
  }
  if (!/^pdo_sqlite$/m.test(ran(["php", "-m"]).said))
    return skipped("PHP with SQLite is missing (Debian: php-cli, php-sqlite3)")
  const { isWell, said } = ran([...namespace, "true"])
  if (!isWell) return skipped(`there is no network namespace here (unshare, ip): ${said}`)
  const home = mkdtempSync(join(tmpdir(), "findable-wordpress-"))
  try {
    if (first === undefined) {
      const packed = ran(["npm", "pack", published], home)
      if (!packed.isWell) return skipped(`npm does not give ${published}: ${packed.said.slice(-500)}`)
    }
    const [file = ""] =
      first === undefined ? Array.from(new Bun.Glob("*.tgz").scanSync({ absolute: true, cwd: home })) : [first]
    const unpacked = ran(["tar", "xzf", file, "-C", home, ...Object.values(archives)])
    if (!unpacked.isWell) throw new Error(unpacked.said)
    const words = [process.execPath, join(import.meta.dir, "run.ts"), "wordpress", "--inside", home]
    return (await Bun.spawn([...namespace, ...words], { stdio: ["inherit", "inherit", "inherit"] }).exited) === 0
  } finally {
    rmSync(home, { force: true, recursive: true })
  }
}
