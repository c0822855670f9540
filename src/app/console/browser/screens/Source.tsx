import type { RankingSource } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { Loaded, When } from "../parts/Status.tsx"

/** The connection that imports search data automatically. */
export const Source = ({ id }: { readonly id: string }) => {
  const source = useRead<RankingSource>(`/projects/${id}/rankings/source`)
  return (
    <>
      <h2>Search Console</h2>
      {source.failure?.status === 404 ? (
        <p>
          Connect Search Console to import new data every day. Use the API: PUT{" "}
          <code>/api/v1/projects/{id}/rankings/source</code> with the key of a service account that can read the
          property.
        </p>
      ) : (
        <Loaded read={source}>
          {({ last_error, next_sync_at, property, synced_at }) => (
            <>
              <p>
                Connected to <code>{property}</code>. Last sync <When at={synced_at} />, next sync{" "}
                <When at={next_sync_at} />
              </p>
              {last_error !== null && <p class="bad">Last sync failed: {last_error}</p>}
            </>
          )}
        </Loaded>
      )}
    </>
  )
}
