import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { unzipSync } from "fflate"
import { until } from "../node.ts"

/** A build of WordPress for SQLite, in npm's registry; too large to be a peer. */
export const published = "@wp-playground/wordpress-builds@0.9.19"

/** The required files, by their path in the package. */
export const archives = {
  sqlite: "package/src/sqlite-database-integration/sqlite-database-integration.zip",
  wordpress: "package/src/wordpress/wp-6.5.zip"
} as const

const here = resolve(import.meta.dir)
const plugins = "wp-content/plugins/sqlite-database-integration"

const unpack = (archive: string, to: string) => {
  for (const [path, bytes] of Object.entries(unzipSync(readFileSync(archive)))) {
    if (path.endsWith("/")) continue
    const file = join(to, path.replace(/^sqlite-database-integration-main\//, ""))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
}

export type Who = "author" | "colleague" | "editor" | "reader"

interface Made {
  readonly page: number
  readonly passwords: Readonly<Record<Who, string>>
  readonly php: string
  readonly post: number
  readonly version: string
}

/** A WordPress on a loopback port, with users of four kinds, a post and a page. */
export const wordpressAt = async (home: string, permalinks: string, port: number) => {
  const root = join(home, `site-${port}`)
  unpack(join(home, archives.wordpress), root)
  unpack(join(home, archives.sqlite), join(root, plugins))
  copyFileSync(join(root, plugins, "db.copy"), join(root, "wp-content/db.php"))
  copyFileSync(join(here, "config.php"), join(root, "wp-config.php"))
  const mu = join(root, "wp-content/mu-plugins")
  mkdirSync(mu)
  copyFileSync(join(here, "plugin.php"), join(mu, "plugin.php"))

  const url = `http://127.0.0.1:${port}`
  const env = { ...process.env, WORDPRESS_ROOT: root, WORDPRESS_URL: url }
  const set = Bun.spawnSync(["php", join(here, "setUp.php"), permalinks], { env })
  if (set.exitCode !== 0) throw new Error(`${set.stdout}${set.stderr}`)
  const made: Made = JSON.parse(`${set.stdout}`)
  const child = Bun.spawn(["php", "-S", `127.0.0.1:${port}`, "-t", root, join(here, "router.php")], {
    env,
    stderr: "ignore",
    stdout: "ignore"
  })
  process.on("exit", () => child.kill("SIGKILL"))
  await until(() =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false
    )
  )

  /** A request of the REST API by the URL that works with all permalinks, as other tools send it. */
  const rest = async (who: Who, method: "GET" | "POST", route: string, body?: object) => {
    const answer = await fetch(`${url}/index.php?rest_route=${route}&context=edit`, {
      headers: { authorization: `Basic ${btoa(`${who}:${made.passwords[who]}`)}`, "content-type": "application/json" },
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return JSON.parse(await answer.text())
  }
  const hidden = join(mu, "hidden")
  return {
    ...made,
    /** Whether OPTIONS returns nothing, as behind some security plugins. */
    hide: (isHidden: boolean) => (isHidden ? writeFileSync(hidden, "") : rmSync(hidden)),
    rest,
    stop: async () => {
      child.kill("SIGKILL")
      await child.exited
    },
    url,
    /** The number of writing requests so far. */
    writes: () =>
      readFileSync(join(root, "requests"), "utf8")
        .split("\n")
        .filter((line) => /^(?:POST|PUT|PATCH|DELETE) /.test(line)).length
  }
}
export type WordPress = Awaited<ReturnType<typeof wordpressAt>>
