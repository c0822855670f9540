import { useSignal } from "@preact/signals"
import { useContext } from "preact/hooks"
import type { ManagedKey, NewManagedKey } from "../api/Contract.ts"
import { OwnRead, useAll } from "../api/Read.ts"
import { ask, may, own } from "../api/Session.ts"
import { announcement, now } from "../Place.ts"
import { Check, Confirm, Form, Input, Lacks } from "../parts/Acts.tsx"
import { count, dayAt } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Secret } from "../parts/Secret.tsx"
import { Empty, Loaded, Tag, When } from "../parts/Status.tsx"
import { Details, Facts, Rows } from "../parts/Tables.tsx"
import { endOf, lifetimes, readable, scopeText } from "./KeyWords.ts"
import { Scopes } from "./Scopes.tsx"

const nameOf = ({ display, name }: ManagedKey) => name ?? display

/** A new key, shown once. */
const Shown = ({
  close,
  made: { expires_at, key, name }
}: {
  readonly made: NewManagedKey
  readonly close: () => void
}) => {
  const isCopied = useSignal(false)
  return (
    <>
      <p>
        Copy the key <strong>{name}</strong> now: Findable shows it only once.{" "}
        {expires_at === null ? "It does not expire." : `It expires on ${dayAt(Date.parse(expires_at))}.`}
      </p>
      <Secret label="API key" text={key} />
      <Check
        label="I have copied the key"
        isOn={isCopied.value}
        turn={(isOn) => {
          isCopied.value = isOn
        }}
      />
      <p class="actions">
        <button type="button" disabled={!isCopied.value} onClick={close}>
          Close
        </button>
      </p>
    </>
  )
}

const Cancel = ({ close }: { readonly close: () => void }) => (
  <button type="button" onClick={close}>
    Cancel
  </button>
)

const scopeless = (scopes: ReadonlyArray<string>) => (scopes.length === 0 ? "Select a scope" : null)

/** Creates a key, and shows it once. */
const NewKey = ({ close, created }: { readonly created: () => void; readonly close: () => void }) => {
  const name = useSignal("")
  const chosen = useSignal<ReadonlyArray<string>>(readable(may))
  const lifetime = useSignal("90")
  const date = useSignal("")
  const made = useSignal<NewManagedKey | null>(null)
  if (made.value !== null) return <Shown made={made.value} close={close} />
  return (
    <Form<NewManagedKey>
      action="Create key"
      scope="keys:manage"
      blocked={scopeless(chosen.value)}
      work={() => {
        const end = endOf(lifetime.value, date.value, Date.now())
        return ask("POST", "/keys", {
          body: {
            expires_at: end === null ? null : new Date(end).toISOString(),
            name: name.value.trim(),
            scopes: chosen.value
          }
        })
      }}
      done={(key) => {
        made.value = key
        created()
      }}
      beside={<Cancel close={close} />}
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
      <Scopes chosen={chosen} />
    </Form>
  )
}

/** Changes the name and the scopes of a key. */
const Edit = ({
  close,
  edited,
  of
}: {
  readonly of: ManagedKey
  readonly edited: () => void
  readonly close: () => void
}) => {
  const name = useSignal(of.name ?? "")
  const chosen = useSignal(of.scopes)
  return (
    <Form
      action="Save key"
      scope="keys:manage"
      blocked={scopeless(chosen.value)}
      work={() => ask("PATCH", `/keys/${of.id}`, { body: { name: name.value.trim(), scopes: chosen.value } })}
      done={() => {
        announcement.value = "Key saved."
        edited()
      }}
      beside={<Cancel close={close} />}
    >
      <Input label="Name" value={name} />
      <Scopes chosen={chosen} />
    </Form>
  )
}

const overlaps = { "0s": "no longer", "1h": "1 hour", "24h": "1 day", "7d": "7 days" }

/** Replaces the text of a key, and shows the new one once. */
const Rotation = ({
  close,
  of,
  rotated
}: {
  readonly of: ManagedKey
  readonly rotated: () => void
  readonly close: () => void
}) => {
  const overlap = useSignal("24h")
  const made = useSignal<NewManagedKey | null>(null)
  if (made.value !== null) return <Shown made={made.value} close={close} />
  return (
    <Form<NewManagedKey>
      action="Rotate key"
      scope="keys:manage"
      work={() => ask("POST", `/keys/${of.id}/rotate`, { body: { overlap: overlap.value } })}
      done={(key) => {
        made.value = key
        rotated()
      }}
      beside={<Cancel close={close} />}
    >
      <p>Findable creates a key with the same name, scopes and expiry.</p>
      <div class="field">
        <Select
          label="The old key stays valid for"
          options={overlaps}
          value={overlap.value}
          choose={(value) => {
            overlap.value = value
          }}
        />
      </div>
    </Form>
  )
}

const Revocation = ({
  close,
  of,
  revoked
}: {
  readonly of: ManagedKey
  readonly revoked: () => void
  readonly close: () => void
}) => (
  <Confirm
    action="Revoke key"
    name={nameOf(of)}
    scope="keys:manage"
    work={() => ask("DELETE", `/keys/${of.id}`)}
    done={() => {
      announcement.value = "Key revoked."
      revoked()
    }}
    beside={<Cancel close={close} />}
  >
    <p>
      The key stops working immediately, and open requests of it end.
      {own.value?.id === of.id && " This is the key of your session: you will be signed out."}
    </p>
  </Confirm>
)

type Doing = "edit" | "revoke" | "rotate"

const doings: Readonly<Record<Doing, string>> = { edit: "Edit", revoke: "Revoke", rotate: "Rotate" }

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

const columns = (begin: (what: Doing, key: ManagedKey) => void) => [
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
        <Details summary={<small>Names in the API</small>}>{() => <code>{scopes.join(", ")}</code>}</Details>
      </>
    ),
    kind: "address" as const,
    name: "Scopes"
  },
  { cell: ({ last_used_at }: ManagedKey) => <When at={last_used_at} />, name: "Last used" },
  { cell: ({ expires_at }: ManagedKey) => <Expiry at={expires_at} />, name: "Expires" },
  {
    cell: (key: ManagedKey) => (
      <span class="actions row">
        {(["edit", "rotate", "revoke"] as const).map((what) => (
          <button
            key={what}
            type="button"
            class={what === "revoke" ? "danger" : undefined}
            disabled={!may("keys:manage")}
            onClick={() => begin(what, key)}
          >
            {doings[what]}
          </button>
        ))}
      </span>
    ),
    name: "Action"
  }
]

/** The keys of the account. */
const ManagedKeys = () => {
  const keys = useAll<ManagedKey>("/keys")
  const isAdding = useSignal(false)
  const begun = useSignal<{ readonly key: ManagedKey; readonly what: Doing } | null>(null)
  const close = () => {
    isAdding.value = false
  }
  const { value: shown } = begun
  const end = () => {
    begun.value = null
  }
  const ended = () => {
    end()
    keys.reload()
  }
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
      {shown !== null && (
        <section key={`${shown.what} ${shown.key.id}`} class="card">
          <h2>
            {doings[shown.what]} {nameOf(shown.key)}
          </h2>
          {shown.what === "edit" ? (
            <Edit of={shown.key} edited={ended} close={end} />
          ) : shown.what === "rotate" ? (
            <Rotation of={shown.key} rotated={keys.reload} close={end} />
          ) : (
            <Revocation of={shown.key} revoked={ended} close={end} />
          )}
        </section>
      )}
      <Loaded read={keys}>
        {(all) => (
          <Rows
            caption="API keys, oldest first"
            columns={columns((what, key) => {
              begun.value = { key, what }
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
  const key = useContext(OwnRead)
  return (
    <Loaded read={key}>
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
