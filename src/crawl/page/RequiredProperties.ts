/**
 * A property that must be there, or one of several: `offers|review`, where `item/name` is the name of the item. Before the last point stands where: in the nodes
 * that a property holds (`location.address`), or in those of one type (`offers:Offer.price`). Text in place of a node is let be.
 */
type Need = string

/** What Google Search Central requires of one type. */
export interface Requirements {
  /** The page of the documentation below https://developers.google.com/search/docs/appearance/structured-data/. */
  readonly page: string
  readonly needs: ReadonlyArray<Need>
}

const events =
  "BusinessEvent ChildrensEvent ComedyEvent DanceEvent EducationEvent ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent VisualArtsEvent"

const businesses =
  "AnimalShelter AutoDealer AutoRepair AutomotiveBusiness Bakery BarOrPub BeautySalon BedAndBreakfast BookStore CafeOrCoffeeShop ChildCare ClothingStore ComputerStore Dentist DepartmentStore DryCleaningOrLaundry ElectronicsStore Electrician EmploymentAgency EntertainmentBusiness FastFoodRestaurant FinancialService Florist FoodEstablishment FurnitureStore GeneralContractor GroceryStore HairSalon HardwareStore HealthAndBeautyBusiness HealthClub HobbyShop HomeAndConstructionBusiness HomeGoodsStore Hotel HousePainter InsuranceAgency InternetCafe JewelryStore LegalService Library LiquorStore Locksmith LodgingBusiness MedicalBusiness MedicalClinic MovieTheater MovingCompany NightClub Notary Optician PetStore Pharmacy Physician Plumber ProfessionalService RadioStation RealEstateAgent RecyclingCenter Resort Restaurant RoofingContractor SelfStorage ShoeStore ShoppingCenter SportsActivityLocation SportsClub Store TouristInformationCenter ToyStore TravelAgency Winery"

const articles = "AdvertiserContentArticle BlogPosting NewsArticle Report ScholarlyArticle TechArticle"
const organisations = "Corporation EducationalOrganization NGO NewsMediaOrganization OnlineBusiness OnlineStore"

/** The type of the table that a more specific one is judged as. */
export const judgedAs: ReadonlyMap<string, string> = new Map(
  Object.entries({ Article: articles, Event: events, LocalBusiness: businesses, Organization: organisations }).flatMap(
    ([general, names]) => names.split(" ").map((name) => [name, general] as const)
  )
)

/** The required properties by type. An article and an organisation have only recommended ones. */
export const requirements: ReadonlyMap<string, Requirements> = new Map(
  Object.entries({
    Article: { page: "article", needs: [] },
    Organization: { page: "organization", needs: [] },
    // Its last entry need not name an address.
    BreadcrumbList: {
      page: "breadcrumb",
      needs: ["itemListElement", "itemListElement.position", "itemListElement.name|item/name", "itemListElement.item"]
    },
    Event: { page: "event", needs: ["name", "startDate", "location", "location:Place.address"] },
    FAQPage: {
      page: "faqpage",
      needs: ["mainEntity", "mainEntity.name", "mainEntity.acceptedAnswer", "mainEntity.acceptedAnswer.text"]
    },
    JobPosting: {
      page: "job-posting",
      needs: [
        "title",
        "description",
        "datePosted",
        "hiringOrganization",
        // A job that is done from anywhere has no place of its own.
        "jobLocation|applicantLocationRequirements",
        "jobLocation.address",
        "jobLocation.address.addressCountry"
      ]
    },
    LocalBusiness: { page: "local-business", needs: ["name", "address"] },
    // Of the pages of products and of merchant listings this has the fewer requirements, which hold for both.
    Product: {
      page: "product-snippet",
      needs: [
        "name",
        "offers|review|aggregateRating",
        "offers:Offer.price|priceSpecification/price",
        "offers:AggregateOffer.lowPrice",
        "offers:AggregateOffer.priceCurrency",
        "aggregateRating.ratingValue",
        "aggregateRating.ratingCount|reviewCount"
      ]
    },
    Recipe: { page: "recipe", needs: ["name", "image"] },
    // A review inside of a thing is one of that; one of advantages and disadvantages alone has no rating.
    Review: {
      page: "review-snippet",
      needs: ["author", "itemReviewed", "itemReviewed.name", "reviewRating", "reviewRating.ratingValue"]
    },
    VideoObject: { page: "video", needs: ["name", "thumbnailUrl|thumbnail", "uploadDate"] }
  })
)
