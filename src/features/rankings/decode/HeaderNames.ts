import type { Style } from "./Values.ts"

/** The columns that a search performance table may have. */
export type Column = "date" | "query" | "page" | "clicks" | "impressions" | "ctr" | "position" | "country" | "device"

/** A language of the interface: its style of numbers and its names of the columns. */
interface Language {
  readonly style: Style
  readonly names: { readonly [column in Column]?: ReadonlyArray<string> }
}

/** A language from its style and names. */
const language = (style: Style, names: Language["names"]): Language => ({ style, names })

const words = (text: string) => text.split(", ")

/** Names separated by commas, and every phrase with one word of each list. */
const of = (names: string, lists: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first = "", noun = "", after = ""] = lists
  const before = words(first).flatMap((word) => words(noun).map((name) => `${word} ${name}`))
  const behind = after === "" ? [] : words(noun).flatMap((name) => words(after).map((word) => `${name} ${word}`))
  return [...words(names), ...before, ...behind]
}

/** Header names of exports and tools in the languages with Latin letters. */
export const latinLanguages: ReadonlyArray<Language> = [
  language("dot", {
    date: ["date", "day", "data_date"],
    query: ["query", "queries", "top queries", "keyword", "keywords", "search query", "search queries", "search term"],
    page: [
      "page",
      "pages",
      "top pages",
      "url",
      "page url",
      "full page url",
      "landing page",
      "address",
      "page path",
      "page_path"
    ],
    clicks: ["clicks", "total clicks", "url clicks", "site clicks"],
    impressions: ["impressions", "total impressions", "url impressions"],
    ctr: ["ctr", "url ctr", "site ctr", "click through rate", "average ctr"],
    position: ["position", "average position", "avg position", "avg. position", "avg pos"],
    country: ["country", "countries"],
    device: ["device", "devices", "device category"]
  }),
  language("comma", {
    date: ["datum", "tag"],
    query: of("suchanfrage, suchanfragen, anfrage, anfragen, suchbegriff, top-suchanfragen", [
      "häufigste, die häufigsten, beliebteste, wichtigste, top",
      "suchanfragen, anfragen"
    ]),
    page: of("seite, seiten, top-seiten", [
      "häufigste, die häufigsten, beliebteste, meistbesuchte, wichtigste, top",
      "seiten"
    ]),
    clicks: ["klicks"],
    impressions: ["impressionen"],
    ctr: ["klickrate"],
    position: ["durchschnittliche position"],
    country: ["land", "länder"],
    device: ["gerät", "geräte"]
  }),
  language("comma", {
    date: ["jour"],
    query: of("requête, requêtes", [
      "principales, meilleures, top",
      "requêtes",
      "les plus fréquentes, les plus populaires, principales, fréquentes, populaires"
    ]),
    page: of("pages les plus populaires", [
      "principales, meilleures",
      "pages",
      "les plus fréquentes, les plus consultées, les plus visitées, principales, populaires"
    ]),
    clicks: ["clics"],
    position: ["position moyenne"],
    country: ["pays"],
    device: ["appareil", "appareils"]
  }),
  language("comma", {
    date: ["fecha"],
    query: of("consulta, consultas", [
      "principales, top",
      "consultas",
      "principales, más frecuentes, más populares, más habituales, más comunes, más buscadas"
    ]),
    page: of("página, páginas", [
      "principales, top",
      "páginas",
      "principales, más frecuentes, más populares, más visitadas, más vistas"
    ]),
    impressions: ["impresiones"],
    position: ["posición", "posición media"],
    country: ["país", "países"],
    device: ["dispositivo", "dispositivos"]
  }),
  language("comma", {
    date: ["data"],
    query: of("ricerca, ricerche", [
      "principali, top",
      "query",
      "principali, più frequenti, più popolari, più comuni, più cercate"
    ]),
    page: of("pagina, pagine", [
      "principali, top",
      "pagine",
      "principali, più frequenti, più popolari, più visitate, più viste"
    ]),
    clicks: ["clic"],
    impressions: ["impressioni"],
    position: ["posizione", "posizione media"],
    country: ["paese", "paesi"],
    device: ["dispositivi"]
  }),
  language("comma", {
    query: of("consultas mais frequentes", [
      "principais",
      "consultas",
      "principais, mais populares, mais comuns, mais pesquisadas"
    ]),
    page: of("páginas mais frequentes", [
      "principais",
      "páginas",
      "principais, mais populares, mais visitadas, mais acessadas, mais vistas"
    ]),
    clicks: ["cliques"],
    impressions: ["impressões"],
    position: ["posição", "posição média"]
  }),
  language("comma", {
    query: of("query's, zoekopdracht, zoekterm, zoektermen", [
      "populairste, meest uitgevoerde, meest voorkomende, belangrijkste, top",
      "zoekopdrachten, query's"
    ]),
    page: of("meest bezochte pagina's", ["populairste, belangrijkste, meest bekeken, top", "pagina's"]),
    clicks: ["klikken", "aantal klikken", "totaal aantal klikken"],
    impressions: ["vertoningen", "aantal vertoningen", "totaal aantal vertoningen"],
    position: ["positie", "gemiddelde positie"],
    device: ["apparaat", "apparaten"]
  }),
  language("comma", {
    query: of("dotaz, dotazy", [
      "nejčastější, nejvýznamnější, nejoblíbenější, nejpopulárnější, nejlepší, hlavní",
      "dotazy"
    ]),
    page: of("stránka, stránky", [
      "nejčastější, nejvýznamnější, nejoblíbenější, nejpopulárnější, nejnavštěvovanější, nejlepší, hlavní",
      "stránky"
    ]),
    clicks: ["kliknutí", "prokliky"],
    impressions: ["zobrazení", "imprese"],
    ctr: ["míra prokliku"],
    position: ["pozice", "průměrná pozice"],
    country: ["země"],
    device: ["zařízení"]
  }),
  language("comma", {
    query: of("zapytanie, zapytania", ["najpopularniejsze, najczęstsze, najważniejsze, główne, top", "zapytania"]),
    page: of("strona, strony", [
      "najpopularniejsze, najczęstsze, najważniejsze, najczęściej odwiedzane, główne, top",
      "strony"
    ]),
    clicks: ["kliknięcia"],
    impressions: ["wyświetlenia"],
    ctr: ["współczynnik klikalności"],
    position: ["pozycja", "średnia pozycja"],
    country: ["kraj", "kraje"],
    device: ["urządzenie", "urządzenia"]
  }),
  language("comma", {
    date: ["tarih"],
    query: of("sorgu, sorgular", [
      "en popüler, en çok yapılan, en çok kullanılan, en çok aranan, en sık yapılan, en iyi",
      "sorgular"
    ]),
    page: of("sayfa, sayfalar", ["en popüler, en çok ziyaret edilen, en çok görüntülenen, en iyi", "sayfalar"]),
    clicks: ["tıklama", "tıklamalar"],
    impressions: ["gösterim", "gösterimler", "görüntüleme"],
    ctr: ["to", "tıklama oranı", "ortalama ctr", "ortalama to"],
    position: ["konum", "ortalama konum", "pozisyon"],
    country: ["ülke", "ülkeler"],
    device: ["cihaz", "cihazlar"]
  }),
  language("comma", {
    query: [
      "vanligaste sökfrågorna",
      "de vanligaste sökfrågorna",
      "populäraste sökfrågorna",
      "sökfråga",
      "sökfrågor",
      "vanligaste frågorna"
    ],
    page: ["vanligaste sidorna", "de vanligaste sidorna", "populäraste sidorna", "sidor", "sida"],
    clicks: ["klick"],
    impressions: ["visningar", "exponeringar"],
    ctr: ["klickfrekvens"],
    position: ["genomsnittlig position", "placering"],
    country: ["länder"],
    device: ["enheter", "enhet"]
  }),
  language("comma", {
    date: ["ngày"],
    query: ["truy vấn", "truy vấn hàng đầu", "cụm từ tìm kiếm hàng đầu"],
    page: ["trang", "trang hàng đầu"],
    clicks: ["lượt nhấp", "số lượt nhấp"],
    impressions: ["lượt hiển thị", "số lượt hiển thị"],
    position: ["vị trí"],
    country: ["quốc gia"],
    device: ["thiết bị"]
  }),
  language("comma", {
    date: ["päivämäärä", "päivä"],
    query: ["suosituimmat kyselyt", "kysely", "kyselyt", "hakukysely", "hakusana", "hakusanat"],
    page: ["suosituimmat sivut", "sivu", "sivut"],
    clicks: ["napsautukset", "klikkaukset"],
    impressions: ["näyttökerrat"],
    ctr: ["napsautussuhde"],
    position: ["sijainti", "keskimääräinen sijainti"],
    country: ["maa", "maat"],
    device: ["laite", "laitteet"]
  }),
  language("comma", {
    date: ["dátum"],
    query: ["dopyt", "dopyty", "najčastejšie dopyty", "najpopulárnejšie dopyty", "hlavné dopyty"],
    page: ["stránka", "stránky", "najpopulárnejšie stránky", "najčastejšie stránky", "hlavné stránky"],
    clicks: ["kliknutia"],
    impressions: ["zobrazenia"],
    ctr: ["mp"],
    position: ["pozícia", "priemerná pozícia"],
    country: ["krajina", "krajiny"],
    device: ["zariadenie", "zariadenia"]
  }),
  language("comma", {
    date: ["tanggal"],
    query: ["kueri teratas", "kueri"],
    page: ["halaman teratas", "halaman"],
    clicks: ["klik"],
    impressions: ["tayangan"],
    position: ["posisi"],
    country: ["negara"],
    device: ["perangkat"]
  }),
  language("comma", {
    date: ["dato", "dag"],
    query: of(
      "forespørgsel, forespørgsler, søgning, søgninger, søgeforespørgsel, søgeforespørgsler, topforespørgsler",
      [
        "populære, populæreste, mest populære, de mest populære, hyppigste, de hyppigste, vigtigste, vanligste",
        "forespørgsler, søgninger, søgeforespørgsler"
      ]
    ),
    page: of("side, sider, topsider", [
      "populære, populæreste, mest populære, de mest populære, mest besøgte, vigtigste",
      "sider"
    ]),
    clicks: ["klik"],
    impressions: ["eksponeringer", "visninger"],
    ctr: ["klikrate", "klikfrekvens"],
    position: ["placering", "gennemsnitlig placering", "gennemsnitlig position"],
    country: ["land", "lande"],
    device: ["enhed", "enheder"]
  }),
  language("comma", {
    query: of(
      "søk, søkeord, søkefraser, søkeforespørsel, søkeforespørsler, forespørsel, forespørsler, toppsøk, topp søk",
      [
        "populære, populæreste, mest populære, de mest populære, vanligste, de vanligste, viktigste",
        "søk, søkene, søkeord, søkeordene, søkefraser, søkeforespørsler, søkeforespørslene, forespørsler, forespørslene"
      ]
    ),
    page: of("toppsider, topp sider", [
      "populære, populæreste, mest populære, de mest populære, mest besøkte, vanligste, viktigste",
      "sider, sidene"
    ]),
    clicks: ["klikk"],
    ctr: ["klikkfrekvens", "klikkrate", "klikkprosent"],
    position: ["posisjon", "gjennomsnittlig posisjon", "plassering", "gjennomsnittlig plassering"],
    device: ["enhet", "enheter"]
  }),
  language("comma", {
    date: ["dátum", "nap"],
    query: of(
      "lekérdezés, lekérdezések, keresési lekérdezés, keresési lekérdezések, keresőkifejezés, keresőkifejezések",
      [
        "leggyakoribb, legnépszerűbb, legfontosabb, legfelső, népszerű, legjobb",
        "lekérdezések, keresések, keresési lekérdezések, keresőkifejezések"
      ]
    ),
    page: of("oldal, oldalak", [
      "leggyakoribb, legnépszerűbb, legfontosabb, leglátogatottabb, legfelső, népszerű, legjobb",
      "oldalak"
    ]),
    clicks: ["kattintás", "kattintások", "összes kattintás"],
    impressions: ["megjelenítés", "megjelenítések", "megjelenések"],
    ctr: ["átkattintási arány", "átkattintási arány (ctr)"],
    position: ["pozíció", "átlagos pozíció", "helyezés", "átlagos helyezés", "elhelyezkedés"],
    country: ["ország", "országok"],
    device: ["eszköz", "eszközök"]
  }),
  language("comma", {
    date: ["dată", "zi", "ziua"],
    query: of("interogare, interogări, interogări de căutare, termen de căutare, termeni de căutare", [
      "principalele, cele mai populare, cele mai frecvente, cele mai importante, cele mai căutate",
      "interogări, căutări",
      "populare, principale, frecvente, de top, de căutare populare"
    ]),
    page: of("pagină, pagini", [
      "principalele, cele mai populare, cele mai frecvente, cele mai importante, cele mai vizitate",
      "pagini",
      "populare, principale, frecvente, de top"
    ]),
    clicks: ["clic", "clicuri", "click-uri", "clickuri"],
    impressions: ["afișare", "afișări", "impresii"],
    ctr: ["rată de clic", "rata de clic", "rata de clicuri", "rată de clicuri"],
    position: ["poziție", "poziția", "poziție medie", "poziția medie"],
    country: ["țară", "țări"],
    device: ["dispozitiv", "dispozitive"]
  }),
  language("comma", {
    query: ["poizvedba", "poizvedbe", "najpogostejše poizvedbe", "glavne poizvedbe", "priljubljene poizvedbe"],
    page: ["stran", "strani", "najbolj obiskane strani", "glavne strani", "priljubljene strani"],
    clicks: ["kliki"],
    impressions: ["prikazi"],
    position: ["položaj", "povprečni položaj", "mesto"],
    country: ["država", "države"],
    device: ["naprava", "naprave"]
  }),
  language("comma", {
    query: ["upit", "upiti", "najčešći upiti", "najpopularniji upiti", "glavni upiti"],
    page: ["stranica", "stranice", "najpopularnije stranice", "najčešće stranice", "glavne stranice"],
    clicks: ["klikovi"],
    impressions: ["pojavljivanja", "prikazivanja", "impresije"],
    position: ["pozicija", "prosječna pozicija", "prosječni položaj", "prosečna pozicija"],
    country: ["zemlja", "zemlje"],
    device: ["uređaj", "uređaji"]
  }),
  language("comma", {
    date: ["diena"],
    query: ["užklausa", "užklausos", "populiariausios užklausos", "dažniausios užklausos"],
    page: ["puslapis", "puslapiai", "populiariausi puslapiai"],
    clicks: ["paspaudimai"],
    impressions: ["parodymai", "rodymai", "parodymų skaičius"],
    position: ["vidutinė pozicija"],
    country: ["šalis", "šalys"],
    device: ["įrenginys", "įrenginiai"]
  }),
  language("comma", {
    date: ["datums"],
    query: ["vaicājums", "vaicājumi", "populārākie vaicājumi", "biežākie vaicājumi"],
    page: ["lapa", "lapas", "populārākās lapas"],
    clicks: ["klikšķi"],
    impressions: ["seansi", "rādījumi"],
    position: ["pozīcija", "vidējā pozīcija"],
    country: ["valsts", "valstis"],
    device: ["ierīce", "ierīces"]
  }),
  language("comma", {
    date: ["kuupäev"],
    query: ["päring", "päringud", "populaarseimad päringud"],
    page: ["leht", "lehed", "populaarseimad lehed"],
    clicks: ["klikid"],
    impressions: ["näitamised", "kuvamised"],
    position: ["asukoht", "positsioon", "keskmine positsioon"],
    country: ["riik", "riigid"],
    device: ["seade", "seadmed"]
  }),
  language("comma", {
    query: ["consultes", "consultes principals", "principals consultes"],
    page: ["pàgines", "pàgines principals", "principals pàgines"],
    position: ["posició", "posició mitjana"],
    country: ["països"],
    device: ["dispositiu", "dispositius"]
  })
]

/** Header names in the languages with other letters. */
export const otherLanguages: ReadonlyArray<Language> = [
  language("comma", {
    date: ["дата"],
    query: ["запрос", "запросы", "популярные запросы", "самые популярные запросы", "поисковый запрос"],
    page: ["страница", "страницы", "популярные страницы", "самые популярные страницы", "верхние страницы"],
    clicks: ["клики"],
    impressions: ["показы"],
    position: ["позиция", "средняя позиция"],
    country: ["страна", "страны"],
    device: ["устройство", "устройства"]
  }),
  language("comma", {
    query: ["найпопулярніші запити", "запит", "запити"],
    page: ["найпопулярніші сторінки", "сторінка", "сторінки"],
    clicks: ["звертання", "кліки"],
    impressions: ["покази"],
    position: ["позиція", "середня позиція"],
    country: ["країна", "країни"],
    device: ["пристрій", "пристрої"]
  }),
  language("comma", {
    date: ["ημερομηνία"],
    query: ["ερώτημα", "ερωτήματα", "κορυφαία ερωτήματα", "δημοφιλέστερα ερωτήματα", "δημοφιλή ερωτήματα"],
    page: ["σελίδα", "σελίδες", "κορυφαίες σελίδες", "δημοφιλέστερες σελίδες", "δημοφιλείς σελίδες"],
    clicks: ["κλικ"],
    impressions: ["εμφανίσεις"],
    position: ["θέση", "μέση θέση"],
    country: ["χώρα", "χώρες"],
    device: ["συσκευή", "συσκευές"]
  }),
  language("comma", {
    query: ["заявка", "заявки", "водещи заявки", "най-чести заявки", "най-популярни заявки", "популярни заявки"],
    page: ["страници", "водещи страници", "най-популярни страници", "популярни страници"],
    clicks: ["кликвания"],
    impressions: ["импресии"],
    position: ["средна позиция"],
    country: ["държава", "държави"],
    device: ["устройства"]
  }),
  language("comma", {
    date: ["датум"],
    query: ["упит", "упити", "најчешћи упити", "најпопуларнији упити"],
    page: ["странице", "најпопуларније странице", "најчешће странице"],
    clicks: ["кликови"],
    impressions: ["прикази", "приказивања", "импресије"],
    position: ["позиција", "просечна позиција"],
    country: ["земља", "земље"],
    device: ["уређај", "уређаји"]
  }),
  language("dot", {
    date: ["التاريخ"],
    query: ["أهم طلبات البحث", "طلب البحث", "طلبات البحث"],
    page: ["أهم الصفحات", "الصفحة", "الصفحات"],
    clicks: ["النقرات", "عدد النقرات"],
    impressions: ["عدد الظهور", "مرات الظهور"],
    ctr: ["نسبة النقر إلى الظهور"],
    position: ["موضع", "الموضع", "متوسط الموضع"],
    country: ["البلد", "البلدان", "الدولة", "الدول"],
    device: ["الجهاز", "الأجهزة"]
  }),
  language("dot", {
    date: ["תאריך"],
    query: ["השאילתות המובילות", "שאילתות מובילות", "שאילתה", "שאילתות"],
    page: ["הדפים המובילים", "דפים מובילים", "דף", "דפים"],
    clicks: ["קליקים"],
    impressions: ["חשיפות", "הופעות"],
    ctr: ["שיעור קליקים"],
    position: ["מיקום", "מקום", "מיקום ממוצע"],
    country: ["מדינה", "מדינות", "ארץ", "ארצות"],
    device: ["מכשיר", "מכשירים"]
  }),
  language("dot", {
    date: ["วันที่"],
    query: ["ข้อความค้นหายอดนิยม", "ข้อความค้นหา", "คำค้นหายอดนิยม", "คำค้นหา"],
    page: ["หน้า", "หน้าเว็บ", "หน้ายอดนิยม", "หน้าเว็บยอดนิยม"],
    clicks: ["การคลิก", "คลิก"],
    impressions: ["การแสดงผล"],
    position: ["อันดับ", "อันดับเฉลี่ย", "ตำแหน่ง"],
    country: ["ประเทศ"],
    device: ["อุปกรณ์"]
  }),
  language("dot", {
    date: ["तारीख", "दिनांक"],
    query: ["क्वेरी", "टॉप क्वेरी", "शीर्ष क्वेरी", "लोकप्रिय क्वेरी"],
    page: ["पेज", "टॉप पेज", "शीर्ष पेज", "लोकप्रिय पेज"],
    clicks: ["क्लिक"],
    impressions: ["इंप्रेशन"],
    position: ["स्थिति", "स्थान", "पोज़िशन", "क्रम", "रैंक", "औसत स्थिति"],
    country: ["देश"],
    device: ["डिवाइस"]
  }),
  language("dot", {
    query: ["熱門查詢項目", "查詢", "熱門查詢"],
    page: ["熱門網頁", "網頁"],
    clicks: ["點擊", "點擊次數"],
    impressions: ["曝光", "曝光次數"],
    ctr: ["點閱率"],
    position: ["排序", "平均排序"],
    country: ["國家/地區"],
    device: ["裝置"]
  }),
  language("dot", {
    date: ["日付", "日"],
    query: ["クエリ", "上位のクエリ", "検索クエリ", "人気のクエリ", "検索キーワード"],
    page: ["ページ", "上位のページ", "人気のページ"],
    clicks: ["クリック数"],
    impressions: ["表示回数"],
    position: ["掲載順位", "平均掲載順位"],
    country: ["国"],
    device: ["デバイス"]
  }),
  language("dot", {
    date: ["日期", "天", "날짜"],
    query: ["查询", "热门查询", "热门查询内容", "검색어", "인기 검색어", "상위 쿼리", "쿼리"],
    page: ["网页", "热门网页", "排名靠前的网页", "페이지", "인기 페이지", "상위 페이지"],
    clicks: ["点击次数", "클릭수"],
    impressions: ["展示", "展示次数", "노출", "노출수"],
    ctr: ["点击率", "클릭률"],
    position: ["排名", "平均排名", "게재순위", "게재 순위", "평균 게재순위", "평균 게재 순위"],
    country: ["国家/地区", "国家", "국가"],
    device: ["设备", "기기"]
  })
]

/** Names of search appearances, which no imported table can have. */
export const appearances: ReadonlyArray<string> = words(
  "search appearance, search appearances, darstellung in der suche, darstellung in suchergebnissen, apparence dans les résultats de recherche, apparence dans la recherche, apariencia en búsquedas, apariencia en la búsqueda, aparición en búsquedas, aspecto en la búsqueda, aspetto nella ricerca, aspetto ricerca, aspecto da pesquisa, aparência na pesquisa, aparência da pesquisa, aparência nos resultados da pesquisa, weergave in zoekresultaten, zoekweergave, wygląd w wyszukiwarce, wygląd wyszukiwania, vzhled ve vyhledávání, vzhľad vo vyhľadávaní, arama görünümü, visningssätt, visningssätt i sökresultat, utseende i sökresultat, søgelayout, udseende i søgning, visning i søgning, søgeresultatets udseende, utseende i søk, søkeutseende, visning i søk, ulkoasu haussa, hakutulosten ulkoasu, keresési megjelenés, megjelenés a keresésben, megjelenés a keresőben, megjelenés a találatok között, aspect în căutare, aspectul în căutare, aspectul căutării, hình thức trong kết quả tìm kiếm, tampilan di penelusuran, tampilan penelusuran, вид в поиске, вигляд у пошуку, εμφάνιση στην αναζήτηση, المظهر في البحث, هيئة الظهور في البحث, מראה בחיפוש, 検索での見え方, 検索の見え方, 검색 노출, 검색 노출 형태, 검색결과 표시, 검색에 표시되는 모습, 搜索结果呈现, 搜索结果呈现形式, 搜尋外觀, ลักษณะที่ปรากฏในการค้นหา"
)
