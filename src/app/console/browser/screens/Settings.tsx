import { useSignal } from "@preact/signals"
import type { ManagedKey, NewManagedKey, OwnKey, Server as ServerState } from "../api/Contract.ts"
import { useAll, useRead } from "../api/Read.ts"
import { ask, may, own } from "../api/Session.ts"
import { announcement, now } from "../Place.ts"
import { Check, Confirm, Form, Input, Lacks } from "../parts/Acts.tsx"
import { count, dayAt, duration, sentence } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Secret } from "../parts/Secret.tsx"
import { Empty, Loaded, Tag, When } from "../parts/Status.tsx"
import { Facts, Missing, Page, Rows, Table, Tabs } from "../parts/Tables.tsx"
import { bytes, endOf, lifetimes, plans, scopeGroups, scopeText } from "./KeyWords.ts"

/** Creates a key, and shows it once. */
const NewKey = ({ close, created }: { readonly created: () => void; readonly close: () => void }) => {
  const name = useSignal("")
  const chosen = useSignal<ReadonlyArray<string>>([])
  const lifetime = useSignal("90")
  const date = useSignal("")
  const made = useSignal<NewManagedKey | null>(null)
  const isPasted = useSignal(false)
  if (made.value !== null) {
    const { expires_at, key, name } = made.value
    return (
      <>
        <p>
          Copy the key <strong>{name}</strong> now: Findable shows it only once.{" "}
          {expires_at === null ? "It does not expire." : `It expires on ${dayAt(Date.parse(expires_at))}.`}
        </p>
        <Secret label="API key" text={key} />
        <Check
          label="I have copied the key"
          isOn={isPasted.value}
          turn={(isOn) => {
            isPasted.value = isOn
          }}
        />
        <p class="actions">
          <button type="button" disabled={!isPasted.value} onClick={close}>
            Close
          </button>
        </p>
      </>
    )
  }
  return (
    <Form<NewManagedKey>
      action="Create key"
      scope="keys:manage"
      isDisabled={chosen.value.length === 0}
      work={() =>
        ask("POST", "/keys", {
          body: {
            expires_at: endOf(lifetime.value, date.value, Date.now()),
            name: name.value.trim(),
            scopes: chosen.value
          }
        })
      }
      done={(key) => {
        made.value = key
        created()
      }}
      beside={
        <button type="button" onClick={close}>
          Cancel
        </button>
      }
    >
      <Input label="Name" value={name} hint="What uses the key, for example “Dashboard”." />
      <div class="field">
        <Select
          label="Expires"
          options={lifetimes}
          value={lifetime.value}
          choose={(value) => {
            lifetime.value = value
          }}
        />
      </div>
      {lifetime.value === "date" && <Input label="Last day" type="date" value={date} />}
      <fieldset class="events">
        <legend>
          What the key may do{" "}
          <span class="quiet">{count(chosen.value.length)} selected; a key cannot get more than your own key has</span>
        </legend>
        {scopeGroups.map(({ scopes, title }) => (
          <div key={title}>
            <h3>{title}</h3>
            {scopes.map(({ hint, scope, text }) => (
              <Check
                key={scope}
                label={text}
                hint={
                  <>
                    <code>{scope}</code> {hint}
                  </>
                }
                isOn={chosen.value.includes(scope)}
                turn={(isOn) => {
                  chosen.value = isOn ? [...chosen.value, scope] : chosen.value.filter((one) => one !== scope)
                }}
              />
            ))}
          </div>
        ))}
      </fieldset>
    </Form>
  )
}

const Expiry = ({ at }: { readonly at: string | null }) =>
  at === null ? (
    <span class="quiet">never</span>
  ) : Date.parse(at) <= now.value ? (
    <>
      <Tag text="expired" tone="bad" /> <When at={at} />
    </>
  ) : (
    <When at={at} />
  )

/** Scopes shown of a key in the list; the others are counted. */
const shownScopes = 4

const columns = (revoke: (key: ManagedKey) => void) => [
  {
    cell: ({ display, id, name }: ManagedKey) => (
      <>
        {name ?? "Unnamed key"} {own.value?.id === id && <Tag text="this session" tone="quiet" />}
        <small>
          <code>{display}</code>
        </small>
      </>
    ),
    name: "Key"
  },
  {
    cell: ({ scopes }: ManagedKey) => (
      <>
        {scopes.slice(0, shownScopes).map(scopeText).join(", ")}
        {scopes.length > shownScopes && ` and ${count(scopes.length - shownScopes)} more`}
        <small>{scopes.join(", ")}</small>
      </>
    ),
    kind: "address" as const,
    name: "Scopes"
  },
  { cell: ({ last_used_at }: ManagedKey) => <When at={last_used_at} />, name: "Last used" },
  { cell: ({ expires_at }: ManagedKey) => <Expiry at={expires_at} />, name: "Expires" },
  {
    cell: (key: ManagedKey) => (
      <button type="button" class="danger" disabled={!may("keys:manage")} onClick={() => revoke(key)}>
        Revoke
      </button>
    ),
    name: "Action"
  }
]

const nameOf = ({ display, name }: ManagedKey) => name ?? display

/** The keys of the account. */
const ManagedKeys = () => {
  const keys = useAll<ManagedKey>("/keys")
  const isAdding = useSignal(false)
  const leaving = useSignal<ManagedKey | null>(null)
  const close = () => {
    isAdding.value = false
  }
  const { value: revoked } = leaving
  return (
    <>
      {isAdding.value ? (
        <section class="card">
          <h2>Create API key</h2>
          <NewKey created={keys.reload} close={close} />
        </section>
      ) : (
        <p class="actions">
          <button
            type="button"
            class="main"
            onClick={() => {
              isAdding.value = true
            }}
          >
            Create API key
          </button>
          <span class="quiet">For scripts, dashboards and agents that use the API.</span>
        </p>
      )}
      {revoked !== null && (
        <section key={revoked.id} class="card">
          <h2>Revoke {nameOf(revoked)}</h2>
          <Confirm
            action="Revoke key"
            name={nameOf(revoked)}
            scope="keys:manage"
            work={() => ask("DELETE", `/keys/${revoked.id}`)}
            done={() => {
              announcement.value = "Key revoked."
              leaving.value = null
              keys.reload()
            }}
            beside={
              <button
                type="button"
                onClick={() => {
                  leaving.value = null
                }}
              >
                Cancel
              </button>
            }
          >
            <p>
              The key stops working immediately, and open requests of it end.
              {own.value?.id === revoked.id && " This is the key of your session: you will be signed out."}
            </p>
          </Confirm>
        </section>
      )}
      <Loaded read={keys}>
        {(all) => (
          <Rows
            caption="API keys, oldest first"
            columns={columns((key) => {
              leaving.value = key
            })}
            keyOf={({ id }) => id}
            name="API keys"
            rows={all}
          />
        )}
      </Loaded>
    </>
  )
}

/** The keys of the account, for keys that may manage them; else the key in use. */
const Keys = () => {
  const { data, ...read } = useRead<OwnKey>("/key")
  return (
    <Loaded read={{ ...read, data }}>
      {({ display, expires_at, name, scopes }) =>
        may("keys:manage") ? (
          <ManagedKeys />
        ) : (
          <>
            <h2>This key</h2>
            <Facts
              of={[
                ["Name", name ?? "Unnamed key"],
                ["Key", <code>{display}</code>],
                ["Expires", <Expiry at={expires_at} />],
                ["Scopes", scopes.map(scopeText).join(", ")]
              ]}
            />
            <Empty title="Your key cannot manage API keys">
              <p>
                <Lacks scope="keys:manage" />
              </p>
              <p>
                Sign in as the administrator: run <code>npx --no-install findable console --operator</code> on the
                server and open the link that it prints.
              </p>
            </Empty>
          </>
        )
      }
    </Loaded>
  )
}

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
const queueNames: Readonly<Record<string, string>> = { delivery: "Webhook deliveries", run: "Crawls" }

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
    <Page title="Settings">
      <Tabs
        label="Settings"
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
