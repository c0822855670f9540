import { useSignal } from "@preact/signals"
import type { ManagedKey, NewManagedKey, OwnKey } from "../api/Contract.ts"
import { useAll, useRead } from "../api/Read.ts"
import { ask, may, own } from "../api/Session.ts"
import { announcement, now } from "../Place.ts"
import { Check, Confirm, Form, Input, Lacks } from "../parts/Acts.tsx"
import { count, dayAt } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Secret } from "../parts/Secret.tsx"
import { Empty, Loaded, Tag, When } from "../parts/Status.tsx"
import { Facts, Rows } from "../parts/Tables.tsx"
import { endOf, lifetimes, scopeGroups, scopeText } from "./KeyWords.ts"

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
        {scopes.length > shownScopes && ` and ${count(scopes.length - shownScopes)} more`}{" "}
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
export const Keys = () => {
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
