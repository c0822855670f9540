import { type Signal, useSignal } from "@preact/signals"
import type { GeoPower, Prompt } from "../api/Contract.ts"
import { usePages } from "../api/Read.ts"
import type { Outcome } from "../api/Send.ts"
import { ask } from "../api/Session.ts"
import { announcement } from "../Place.ts"
import { Act, Area, Confirm, Form, Input, unchanged } from "../parts/Acts.tsx"
import { share } from "../parts/Formats.ts"
import { Empty, Loaded, When } from "../parts/Status.tsx"
import { Details, Pages, Table } from "../parts/Tables.tsx"
import { queryOf } from "../Routes.ts"

const scope = "geo:write"

const Locale = ({ locale }: { readonly locale: Signal<string> }) => (
  <Input label="Locale" value={locale} hint="Language with or without a region, such as de-AT." />
)

const texts = (typed: string) =>
  typed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const Add = ({ added, id }: { readonly id: string; readonly added: () => void }) => {
  const typed = useSignal("")
  const locale = useSignal("en-US")
  const work = async (): Promise<Outcome<unknown>> => {
    const [first = "", ...rest] = texts(typed.value)
    const outcome = await ask<Prompt>("POST", `/projects/${id}/geo/prompts`, {
      body: { locale: locale.value, text: first }
    })
    // Lines that were added leave the field, so a failure keeps the others.
    if (outcome.failure === null) {
      typed.value = rest.join("\n")
      if (rest.length > 0) return work()
    }
    return outcome
  }
  return (
    <Form
      action="Add prompts"
      scope={scope}
      work={work}
      done={() => {
        announcement.value = "Prompts added."
        added()
      }}
    >
      <Area
        label="Prompts, one per line"
        value={typed}
        hint="Ask as a customer asks. A changed set of prompts starts a new baseline."
      />
      <Locale locale={locale} />
    </Form>
  )
}

/** A prompt under edit: the API keeps the texts of past answers, so a new text is a new prompt in the place of the old one. */
const Edit = ({ changed, of, path }: { readonly path: string; readonly of: Prompt; readonly changed: () => void }) => {
  const [text, locale] = [useSignal(of.text), useSignal(of.locale)]
  return (
    <Form
      action="Save prompt"
      scope={scope}
      blocked={text.value === of.text && locale.value === of.locale ? unchanged : null}
      work={async () => {
        const made = await ask<Prompt>("POST", path, { body: { locale: locale.value, text: text.value } })
        return made.failure === null && made.data.id !== of.id ? ask("DELETE", `${path}/${of.id}`) : made
      }}
      done={changed}
    >
      <Area label="Prompt" rows={2} value={text} hint="Earlier answers stay with the earlier text." />
      <Locale locale={locale} />
    </Form>
  )
}

/** The power of a number of prompts and repeats. */
const Power = ({ id }: { readonly id: string }) => {
  const [prompts, repeats, rate] = [useSignal("40"), useSignal("5"), useSignal("20")]
  const power = useSignal<GeoPower | null>(null)
  return (
    <div>
      <Form
        action="Compute power"
        work={() =>
          ask<GeoPower>(
            "GET",
            `/projects/${id}/geo/power${queryOf({ prompts: prompts.value, rate: String(Number(rate.value) / 100), repeats: repeats.value })}`
          )
        }
        done={(found) => {
          power.value = found
        }}
      >
        <Input label="Number of prompts" type="number" value={prompts} hint="1 to 200. Changes need at least 20." />
        <Input label="Repeats per engine" type="number" value={repeats} hint="1 to 10." />
        <Input label="Current citation rate in percent" type="number" value={rate} hint="1 to 89." />
      </Form>
      <p role="status">
        {power.value !== null &&
          `A rise by 10 points shows in one run with ${share(power.value.power_one_run)} power, and in two runs in a row, which a change event needs, with ${share(power.value.power_told)}.`}
      </p>
    </div>
  )
}

/** The prompts of a site. */
export const Prompts = ({ id }: { readonly id: string }) => {
  const path = `/projects/${id}/geo/prompts`
  const prompts = usePages<Prompt>(path)
  const { reload } = prompts
  const add = <Add id={id} added={reload} />
  return (
    <Loaded read={prompts}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty title="No prompts yet">
            <p>Add questions that your customers ask AI assistants, such as “Which running shoes last longest?”</p>
            {add}
          </Empty>
        ) : (
          <>
            <Table
              caption="Prompts, the oldest first"
              keyOf={({ id }) => id}
              rows={rows}
              columns={[
                {
                  cell: (prompt) => (
                    <>
                      {prompt.text}
                      <Details summary="Edit">{() => <Edit of={prompt} path={path} changed={reload} />}</Details>
                    </>
                  ),
                  kind: "address",
                  name: "Prompt"
                },
                { cell: ({ locale }) => locale, name: "Locale" },
                { cell: ({ created_at }) => <When at={created_at} />, name: "Added" },
                {
                  cell: (prompt) => (
                    <Act
                      action="Remove"
                      scope={scope}
                      work={() => ask("DELETE", `/projects/${id}/geo/prompts/${prompt.id}`)}
                      done={reload}
                    />
                  ),
                  name: "Action"
                }
              ]}
            />
            <Pages name="prompts" pager={prompts.pager} />
            <h2>Add prompts</h2>
            {add}
            <h2>Plan</h2>
            <Details summary="How many prompts and repeats show a change?">{() => <Power id={id} />}</Details>
            <Details summary="Delete all prompts">
              {() => (
                <Confirm
                  action="Delete all prompts"
                  scope={scope}
                  name="delete all"
                  work={() => ask("DELETE", path)}
                  done={reload}
                >
                  <p>Deletes every prompt of this site. Runs and their answers stay.</p>
                </Confirm>
              )}
            </Details>
          </>
        )
      }
    </Loaded>
  )
}
