import { useEffect } from "preact/hooks"
import type { ListedProject } from "../api/Contract.ts"
import { useAll } from "../api/Read.ts"
import { dayOf, none } from "../parts/Formats.ts"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { Rows } from "../parts/Rows.tsx"
import { hashOf } from "../Routes.ts"

/** The sites, each with the days of its search data; where there is one site, the way to it. */
export const Rankings = () => {
  const sites = useAll<ListedProject>("/projects?include=rankings")
  const [first, second] = sites.data ?? []
  const only = second === undefined ? first?.id : undefined
  useEffect(() => {
    // It takes the place of this screen in the history, so that the way back leads past both.
    if (only !== undefined) location.replace(hashOf(["rankings", only]))
  }, [only])
  return (
    <Page title="Rankings">
      <Loaded read={sites}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No site yet">
              <a href="#/sites">Add a site</a>, then bring its search data here.
            </Empty>
          ) : (
            <Rows
              caption="Sites with the days of their search data"
              name="sites"
              keyOf={({ id }) => id}
              rows={all}
              columns={[
                { cell: ({ id, name }) => <a href={`#/rankings/${id}`}>{name}</a>, kind: "address", name: "Site" },
                {
                  cell: ({ rankings }) => (rankings ? dayOf(rankings.first_day) : none),
                  name: "Data from"
                },
                { cell: ({ rankings }) => (rankings ? dayOf(rankings.last_day) : "no data yet"), name: "Data through" }
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  )
}
