import type { OwnKey, Server as ServerState } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { Lacks } from "../parts/Acts.tsx"
import { count, duration, sentence } from "../parts/Formats.ts"
import { Empty, Loaded, When } from "../parts/Status.tsx"
import { Facts, Missing, Page, Table, Tabs } from "../parts/Tables.tsx"
import { Keys } from "./Keys.tsx"
import { bytes, plans } from "./KeyWords.ts"

/** The limits with a use, in the order of the screen. */
const limitNames = [
  ["projects", "Sites"],
  ["keys", "API keys"],
  ["runs_per_hour", "Crawls in the last hour"],
  ["runs_at_once", "Crawls in progress"],
  ["looks_per_day", "Backlink checks today (UTC)"],
  ["requests_per_minute", "API requests of this key in the last minute"]
] as const

const Bar = ({
  name,
  of: { limit, resets_at, used }
}: {
  readonly name: string
  readonly of: OwnKey["usage"]["keys"]
}) => (
  <div class={used >= limit ? "usage full" : "usage"}>
    <p>
      <strong>{name}</strong>{" "}
      <span>
        {count(used)} of {count(limit)}
      </span>
    </p>
    <progress max={Math.max(1, limit)} value={Math.min(used, limit)} aria-label={name} />
    {resets_at !== null && (
      <small class="quiet">
        {used >= limit ? "Limit reached. Frees up" : "Frees up"} <When at={resets_at} />
      </small>
    )}
  </div>
)

/** The account, its plan, and the use of its limits. */
const Account = () => {
  const key = useRead<OwnKey>("/key")
  return (
    <Loaded read={key}>
      {({ account, limits, plan, usage }) => (
        <>
          <Facts
            of={[
              ["Account", account.name],
              ["Plan", plans[plan] ?? plan],
              ["Pages per crawl", count(limits.pages_per_run)],
              ["Account ID", <code>{account.id}</code>]
            ]}
          />
          <h2>Usage</h2>
          <div class="cards">
            {limitNames.map(([limit, name]) => (
              <Bar key={limit} name={name} of={usage[limit]} />
            ))}
          </div>
          <p class="quiet">The administrator of the server sets the plan of an account.</p>
        </>
      )}
    </Loaded>
  )
}

/** Queues of the server in words. */
const queueNames: Readonly<Record<string, string>> = {
  audit: "Audits",
  backlink_import: "Backlink imports",
  computation_of_opportunities: "Search opportunities",
  delivery: "Webhook deliveries",
  geo_run: "AI visibility runs",
  geo_schedule: "AI visibility schedules",
  import: "Search data imports",
  inspection: "URL inspections",
  intervention: "Site changes",
  round_of_backlinks: "Backlink checks",
  run: "Crawls",
  site_health_schedule: "Crawl schedules",
  synchronisation: "Search Console syncs"
}

/** The state of the server. */
const Server = () => {
  const server = useRead<ServerState>("/server")
  return (
    <Loaded read={server}>
      {({ admin, browser, schema, version }) => (
        <>
          <Facts
            of={[
              ["Findable", version],
              ["Database schema", `${schema.name}, migration ${schema.migration}`],
              ["Browser for rendering", browser.found ? (browser.version ?? "found") : "none"]
            ]}
          />
          {browser.problem !== null && <p class="warn">{browser.problem}</p>}
          {admin === null ? (
            <Empty title="Storage, queues and backups are for the administrator">
              <p>
                <Lacks scope="server:read" />
              </p>
              <p>
                Run <code>npx --no-install findable console --operator</code> on the server and open the link that it
                prints.
              </p>
            </Empty>
          ) : (
            <>
              <h2>Last backup</h2>
              {admin.last_backup === null ? (
                <p class="warn">
                  No backup yet. Run <code>findable backup DIRECTORY</code> on the server.
                </p>
              ) : (
                <p>
                  <When at={admin.last_backup.at} />, {bytes(admin.last_backup.bytes)},{" "}
                  {admin.last_backup.secrets ? "with" : "without"} secrets
                </p>
              )}
              <h2>Queues</h2>
              <Table
                caption="Queues"
                keyOf={({ name }) => name}
                rows={admin.queues}
                columns={[
                  { cell: ({ name }) => queueNames[name] ?? sentence(name), name: "Work" },
                  { cell: ({ waiting }) => count(waiting), kind: "number", name: "Waiting" },
                  {
                    cell: ({ oldest_seconds, waiting }) => (waiting === 0 ? "–" : duration(oldest_seconds)),
                    kind: "number",
                    name: "Longest wait"
                  }
                ]}
              />
              <h2>Storage: {bytes(admin.storage.bytes)}</h2>
              <Table
                caption="Largest tables"
                keyOf={({ name }) => name}
                rows={admin.storage.tables}
                columns={[
                  { cell: ({ name }) => <code>{name}</code>, name: "Table" },
                  { cell: ({ bytes: size }) => bytes(size), kind: "number", name: "Size" }
                ]}
              />
            </>
          )}
        </>
      )}
    </Loaded>
  )
}

const tabs = [
  { name: "Keys", screen: Keys, segment: "keys" },
  { name: "Account", screen: Account, segment: "account" },
  { name: "Server", screen: Server, segment: "server" }
] as const

/** Settings of the account: its keys, its plan, and its server. */
export const Settings = ({ tab }: { readonly tab: string }) => {
  const shown = tabs.find(({ segment }) => segment === tab)
  if (shown === undefined) return <Missing />
  const Screen = shown.screen
  return (
    <Page title="Account settings">
      <Tabs
        label="Account settings"
        of={tabs.map(({ name, segment }) => ({
          href: segment === "keys" ? "#/settings" : `#/settings/${segment}`,
          isCurrent: segment === tab,
          name
        }))}
      />
      <Screen />
    </Page>
  )
}
