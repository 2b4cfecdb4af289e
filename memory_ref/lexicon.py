# ruff: noqa: E501, SIM905 (tables of words)
"""Word knowledge of the search: stop words by language, weak words, and English words that stand for each other.

All of it is common knowledge of the languages, written by hand for this project and meant to be read. Stop words are the
question and function words of each language (closed classes; any grammar lists them). Weak words are open-class words that say little
of what a sentence is about. Related words are everyday groups: a question about a parcel is a question about an address.
Everything is in folded form (see `searchtext.fold`).
"""

from __future__ import annotations

from collections.abc import Mapping

STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "english": """
            a an the and or but nor if then than so as at by for from in into of off on onto out over to up with without within about after again against all also am any
            are arent be because been before being below between both can cant cannot could couldnt did didnt do does doesnt doing done dont down during each either else ever
            few further get gets getting give given go goes going gone got had hadnt has hasnt have havent having he hed her here hers herself hes him himself his how hows i
            im isnt is it itd itll its itself ive just let lets may maybe me might mine more most much must my myself no not now of off ok okay once one ones only
            other others our ours ourselves own per please rather really said same say says shall she shes should shouldnt since some somebody someone something still such tell
            that thats their theirs them themselves there theres these they theyd theyll theyre theyve this those though through till too told under until upon us very via was
            wasnt we well were werent weve what whatever whats when whenever wheres where wherever whether which whichever while who whoever whom whos whose why will with
            wont would wouldnt yes yet you youd youll your youre yours yourself youve again already always anything everything nothing anybody nobody remember recall remind know
            knew known mention mentioned exactly actually currently
        """,
        "german": """
            der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als ob weil dass ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch sich
            mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren euer eure bin
            bist ist sind seid war waren warst hat habe haben hast hatte hatten wird werden werde wurde kann kannst konnen konnte soll sollte muss mussen darf will wollen mochte was wer wen wem
            wann wo wohin woher warum wie wieso welche welcher welches welchen welchem wieviel viele viel nicht kein keine keinen nein ja auch noch nur schon sehr so zu zum zur von vom
            bei beim mit nach aus auf an am im in ins fur uber unter vor hinter um durch ohne gegen da dort hier jetzt heute mal doch denn etwas nichts man gibt es sag mir heisst lautet
        """,
        "french": """
            le la les un une des du de d l et ou mais si que qu qui quoi quel quelle quels quelles quand comment pourquoi combien je j tu il elle on nous vous ils elles me m te t
            se s moi toi lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette ces cela ca est es suis sont etes sommes etait etais etaient ai as a avons avez
            ont avait avais avaient sera etre avoir fait fais dois doit peut peux ne n pas plus non oui y en au aux dans par pour sur sous avec sans chez vers entre depuis ici la aussi
            tres bien deja encore dis dit est-ce
        """,
        "spanish": """
            el la los las un una unos unas lo y o pero si que quien quienes cual cuales cuando donde adonde como por porque cuanto cuantos cuanta cuantas yo tu usted el ella nosotros
            ellos ellas ustedes me te se nos le les mi mis tu tus su sus nuestro nuestra mio mia este esta estos estas ese esa eso esto aquel es soy eres son somos era eran fue fui
            estoy esta estas estan estaba he has ha han habia hay tengo tiene tienes puedo puede debo debe ser estar de del a al en con sin para sobre entre hasta desde no ni ya muy mas tambien
            aqui alli dime cada dia ahora voy vas va ir
        """,
        "italian": """
            il lo la i gli le un uno una e o ma se che chi quale quali quando dove come perche quanto quanti quanta quante cosa io tu lui lei noi voi loro mi ti si ci vi me te mio mia
            miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra questo questa questi queste quello quella e sono sei siamo siete era erano ero ho hai ha abbiamo hanno aveva posso puo devo deve
            essere avere di del della dei delle dello a al alla ai alle da dal dalla in nel nella con su sul sulla per tra fra senza non ne gia piu molto anche qui dimmi dov cos l
        """,
        "portuguese": """
            o a os as um uma uns umas e ou mas se que quem qual quais quando onde aonde como porque quanto quantos quanta quantas eu tu voce ele ela nos eles elas voces me te lhe meu
            minha meus minhas teu tua seu sua seus suas nosso nossa este esta esse essa isso isto aquele sou es somos sao era eram foi fui estou esta estao estava tenho tem tens
            posso pode devo deve ser estar ter de do da dos das em no na nos nas por pelo pela para com sem sobre entre ate desde nao sim ja muito mais tambem aqui ali
        """,
        "dutch": """
            de het een en of maar als dan dat die dit deze ik jij je u hij zij ze wij we jullie mij me jou hem haar ons hun mijn jouw zijn onze ben bent is was waren heb hebt heeft
            hebben had word wordt worden kan kun kunnen moet moeten mag wil zal wie wat waar waarheen wanneer waarom hoe welke welk hoeveel niet geen nee ja ook nog al zeer zo te van
            voor met naar uit op aan in bij door over onder om zonder tegen er daar hier nu
        """,
        "swedish": """
            en ett den det de och eller men om att jag du han hon vi ni dom mig dig honom henne oss er sig min mitt mina din ditt dina sin sitt sina vår ar var varit har hade kan ska
            skulle maste vill vad vem nar varfor hur vilken vilket vilka inte nej ja ocksa i pa av for med till fran ut over under utan mot har dar nu som
        """,
        "finnish": """
            ja tai mutta jos kun etta mina sina han me te he minun sinun hanen meidan minulla minut minua sinulla on olen olet ovat oli olin ei en et ole mika mita missa mista mihin
            milloin miksi miten kuka kenen kuinka montako tama se ne nyt myos vain
        """,
        "turkish": """
            ve veya ama eger ki ben sen o biz siz onlar bana sana ona bize beni seni onu benim senin onun bizim bu su bir var yok mi mu ne nedir neydi kim kimdir nerede neresi nereye nereden
            hangi nasil neden nicin kac zaman degil icin ile gibi kadar da de cok daha en hangisi misin miyim midir
        """,
        "polish": """
            i a lub ale jesli ze to ten ta te ja ty on ona my wy oni mnie mi ciebie go jej nas moj moja moje moim mojej twoj twoja jego ich jest sa jestem byl byla bylo mam masz ma maja co kto
            gdzie kiedy dlaczego jak jaki jaka jakie jakim ktory ktora ktore ile czy nie tak tez juz w we z ze na do od po pod nad przez dla o u przy sie
        """,
        "russian": """
            и или но если что как а в во на с со к ко у о об от до за из по под над для без при я ты он она мы вы они меня мне мнои тебя тебе его еи ее нас вас их мои моя мое моем моеи
            мою моего твои твоя свои это этот эта эти тот есть был была было были быть ли не нет да уже еще тоже так где куда откуда когда почему зачем кто кого кому чеи какои какая какое какие каком какую
            который сколько тут там сеичас
        """,
        "greek": """
            ο η το οι τα του της των τον την ενα μια και η αλλα αν οτι πως που ποιος ποια ποιο ποτε γιατι τι ποσο εγω εσυ αυτος αυτη αυτο εμεις εσεις μου σου μας σας με σε στο στη στην στον απο για ειμαι εισαι ειναι
            ημουν ηταν εχω εχεις εχει δεν μη θα να
        """,
        "arabic": """
            و او ثم لكن اذا ان في من الي علي عن مع هل ما ماذا متي اين كيف لماذا كم اي ايه من هو هي هم انا انت نحن انتم هذا هذه ذلك تلك الذي التي كان كانت يكون ليس لا لم لن نعم قد كل لي لك له عند عندي بعد قبل
        """,
        "hebrew": """
            ו או אבל אם כי של את עם על אל מן ב ל ה ש מה מי מתי איפה היכן לאן מאיפה איך למה מדוע כמה איזה איזו אני אתה הוא היא אנחנו אתם הם שלי שלך שלו זה זאת זו היה הייתה יש אין לא כן לי לך גם
        """,
        "hindi": """
            और या लेकिन अगर कि का की के को से में पर है हैं था थी थे हूँ मैं तुम आप वह हम वे मेरा मेरी मेरे तुम्हारा आपका यह ये वो क्या कौन कब कहाँ कहां क्यों कैसे कितना कितने किस नहीं हाँ ने भी तो
        """,
    }.items()
}  # fmt: skip
"""Per language; the names are those of snowballstemmer where it has a stemmer."""

CONTRACTED = frozenset(["id", "ill", "shed", "wed"])
"""Stop words only where an apostrophe was in them (I'd, she'd): without it they are nouns."""

SCRIPT_STOPS: Mapping[str, tuple[str, ...]] = {
    script: tuple(sorted(words.split(), key=len, reverse=True))
    for script, words in {
        "han": """
            我们 你们 他们 她们 我 你 您 他 她 它 的 了 吗 呢 吧 啊 是 在 有 和 与 或 及 也 都 很 就 还 要 会 能 可以 应该 想 请 请问 告诉 现在 喜欢 喜歡 最 什么 什么时候 什么地方 哪里 哪儿 哪个 哪些 哪 谁 怎么 怎样 怎么样 为什么 多少 几 何时
            吗 这 那 这个 那个 这里 那里 一个 不 没 没有 把 被 给 从 到 对 上 下 里 個 嗎 麼 什麼 為什麼 怎麼 哪裡 哪裏 誰 們 我們 你們 個 這 這個 對 沒 會 還 請 請問 告訴 私 僕 俺 何 好 誰 彼 彼女 何時 何処 教
            今 現在 記得 记得 知道
        """,
        "kana": """
            どこ なに なん いつ だれ どれ どの どう どんな どちら どっち どなた いくつ いくら なぜ なんで どうして です でした でしょう ですか でしたか ます ました ません ますか ましたか ました ている ています ていた していま してい していた
            して した する しました します たい たいです ください から まで より では には とは へは ので のに けど だけ この その あの これ それ あれ ここ そこ あそこ わたし ぼく おれ あなた という と言う ある あります いる います いた いました
            んで んでいます んでいる って っていう ている ていますか だった である ない なかった おしえて えて こと もの とき って てる ても でも など
        """,
        "thai": """
            ฉัน ผม ดิฉัน หนู เรา คุณ เขา เธอ มัน พวกเรา ที่ไหน ไหน อะไร เมื่อไหร่ เมื่อไร ใคร ทำไม อย่างไร ยังไง เท่าไหร่ เท่าไร กี่ ไหม มั้ย หรือ และ แต่ ถ้า เพราะ ว่า ที่ ซึ่ง ของ ใน บน กับ จาก ถึง เป็น คือ อยู่ มี ได้ ไม่ ให้ แล้ว จะ
            นี้ นั้น ครับ ค่ะ คะ นะ ด้วย ก็ ต้อง ควร ชอบ บอก การ ความ
        """,
        "lao": "ຂ້ອຍ ເຈົ້າ ຢູ່ໃສ ໃສ ຫຍັງ ໃຜ ເມື່ອໃດ ແມ່ນ ຂອງ ແລະ ຢູ່ ມີ ທີ່ ບໍ່ ບໍ ໃນ",
        "khmer": "ខ្ញុំ អ្នក នៅឯណា នៅ ណា អ្វី នរណា ពេលណា គឺ ជា របស់ និង មាន ដែល ក្នុង ទេ",
        "myanmar": "ကျွန်တော် ကျွန်မ ဘယ်မှာ ဘယ် ဘာ ဘယ်သူ ဘယ်အချိန် လဲ လား သည် တယ် ပါ မှာ ကို က ၏ နှင့် ရှိ",
    }.items()
}  # fmt: skip
"""Function words of scripts without spaces, longest first; cut out of a question before its bigrams are taken."""

KOREAN_STOPS = frozenset(
    "나 저 너 우리 제 내 저희 네 그 그녀 이 저것 그것 이것 무엇 뭐 뭘 뭔 무슨 언제 어디 누구 누가 왜 어떻게 어떤 어느 얼마 몇 있 없 하 되 이다 아니 것 수 좀 그리고 하지만 말 좋아 좋아하".split()
)
KOREAN_ENDINGS = tuple(
    sorted(
        """은 는 이 가 을 를 에 의 로 으로 와 과 도 만 에서 에게 한테 께 께서 부터 까지 처럼 보다 라고 이라고 이나 나 이랑 랑 하고 에는 에서는 에도 로는 으로는 이야 야 이에요 예요 에요 이었어요 였어요 입니다 입니까 이다 인가요
        이었습니다 였습니다 습니다 습니까 ㅂ니다 아요 어요 해요 여요 았어요 었어요 했어요 였어요 고 고있어요 고있습니다 죠 지요 지 나요 까요 을까요 ㄹ까요 는지 인지 던 았다 었다 했다 한다 는다 다 니 냐 합니다 했습니다 합니까 하나요 하는 해 하며 면서 던가요 이죠 네요""".split(),
        key=len,
        reverse=True,
    )
)  # fmt: skip
"""Particles and verb endings of Korean, longest first."""

WEAK_WORDS = frozenset(
    """
    like likes liked want wants wanted need needs needed use uses used using make makes made take takes taken took think thinks thought thing things stuff good bad nice great best better
    new old big small little kind sort type way time times day days week weeks month months year years today tomorrow yesterday tonight morning evening soon later last next first every lot
    lots people person favourite favorite prefer prefers preferred usually often sometimes never come comes came put see look looking find found help try keep kept start stop plan plans
    planning long short many number part place start end set idea name names named called call user assistant suggest recommend choose chose chosen pick show buy bought happen happened feel talk
    change changed changing current latest thanks thank sure information info detail details list piece work works working right answer question ask asked reply two three
    ashamed afraid scared sad happy angry worried tired stressed excited anxious upset glad sorry lonely proud nervous embarrassed
    """.split()
)  # fmt: skip
"""They count for a third of a content word: sharing only these is no sign of the same subject."""

SET_PHRASES: Mapping[str, str] = {
    "for a living": "profession", "how old": "age", "married to": "spouse", "marital status": "relationship", "number plate": "license plate", "do i own": "possess", "do we own": "possess",
}  # fmt: skip
"""Set phrases of English whose words, one by one, mean something else, and the word a question with them also asks for."""

REQUESTS = frozenset("should shall suggest recommend book order plan choose pick find arrange reserve cook prepare".split())
"""Words by which a message asks the assistant to act for the user, so that it is about the user's affairs without saying so."""

SOUGHT_SLOTS: Mapping[str, str] = {
    "home address": "deliver delivery delivered ship shipped send sent post mail parcel package courier",
    "role work job title": "profession occupation job trade career title position employ employer employed",
    "age": "age",
    "diet allergy": "cook dinner lunch breakfast dessert supper meal restaurant menu recipe dish snack eat eating food catering cake buffet picnic groceries ingredient",
    "relationship": "married relationship spouse single engaged divorced",
    "owns": "possess",
    "speaks language": "language languages",
}
"""Slots of facts, and the words of a question about one's own affairs that ask for them."""

RELATED_GROUPS: tuple[str, ...] = (
    "live lives living lived reside resides residence home house flat apartment address city town village relocate relocated settled",
    "parcel package deliver delivery ship shipped shipping courier post postman mail letter send address home house flat live lived city",
    "job work works working worked employer employed employee company profession occupation career hired",
    "name named called call nickname surname",
    "car vehicle van truck drive driving automobile plate",
    "bike bicycle cycle cycling",
    "phone mobile telephone cell",
    "email mail e-mail inbox",
    "doctor physician gp clinic surgery appointment",
    "dentist tooth teeth dental", "rubbish trash garbage waste bin bins recycling", "author writer novelist poet",
    "rent rental lease tenancy contract", "climb climbing bouldering", "shift work job", "married wedding anniversary spouse husband wife",
    "native mother tongue language", "glasses optician eyes eye", "haircut hairdresser barber hair", "boiler heating plumber",
    "wife husband spouse partner married fiance fiancee girlfriend boyfriend",
    "child children kid kids son daughter baby toddler",
    "mother mum mom father dad parent parents",
    "brother sister sibling siblings",
    "dog puppy pet", "cat kitten pet", "vet veterinary veterinarian animal pet dog cat",
    "eat eating food meal dish dinner lunch breakfast supper cook cooking cuisine restaurant recipe snack menu allergic allergy",
    "diet vegetarian vegan allergy allergies allergic intolerant intolerance avoid food meal dinner lunch restaurant cook cooking recipe menu catering dish snack lunch breakfast supper picnic barbecue groceries",
    "drink beverage coffee tea",
    "colour color paint shade",
    "birthday born birth birthdate age old",
    "holiday vacation trip travel travelling flight fly journey tour visit",
    "train rail railway station", "flight fly airport airline plane",
    "meeting meet appointment call sync standup scheduled schedule calendar",
    "deadline due deliver delivery submit submission date",
    "language speak spoken tongue translate learn learning study english french german spanish portuguese italian dutch swedish finnish polish russian turkish arabic hebrew hindi japanese chinese korean thai", "boss manager supervisor lead chief", "commute cycle office work train bus", "reply answer language",
    "study studying student university college school course degree masters bachelor phd doctorate graduated diploma", "arzt hausarzt doktor praxis", "trinken trinke getrank milch kaffee tee saft",
    "music song listen", "instrument play playing band",
    "film movie cinema watch", "book novel read reading author",
    "sport exercise gym fitness workout training run running",
    "money budget price cost pay payment salary spend",
    "buy bought purchase purchased order ordered",
    "computer laptop machine pc", "programming code coding program language software developer",
    "database postgres postgresql mysql sqlite storage",
    "editor ide vim emacs",
    "test tests testing", "deploy deployment release released ship",
    "reply answer respond response style tone brief concise verbose format formal",
    "unit units metric imperial celsius fahrenheit",
    "seat sit sitting aisle window", "hotel room accommodation stay staying",
    "medicine medication pill tablet drug",
    "begin start started", "finish finished end ended complete completed",
    "big large huge", "fast quick speed", "error bug failure fault",
    "delete remove erase", "key code pin passcode password",
    "garden plant plants gardening", "weather rain temperature",
    "shoe shoes size clothes wear clothing jacket coat shirt",
    "住 住所 住址 地址 城市 家 自宅 引越 搬家 住まい", "仕事 職業 職場 会社 工作 上班 公司 职业 勤務 働", "名前 名字 氏名 姓名 叫 呼", "車 车 汽车 自動車 開車 开车", "誕生日 生日 出生 生まれ",
    "食 吃 料理 食事 食べ物 饭 餐 晚饭 夕食 昼食 アレルギー 过敏 過敏", "猫 犬 狗 ペット 宠物", "電話 电话 手机 携帯", "妻 丈夫 夫 結婚 结婚 配偶", "旅行 旅游 出張 出差 飛行機 飞机 航班",
    "살 집 주소 도시 거주 이사 동네", "일 직업 직장 회사 근무", "이름 성함 불러", "차 자동차 운전", "먹 음식 식사 저녁 점심 알레르기", "고양이 강아지 개 반려동물",
    "wohne wohnen wohnt adresse stadt zuhause wohnort umgezogen", "arbeite arbeiten beruf job arbeitgeber firma", "heisse heisst name", "essen gericht abendessen restaurant allergisch allergie",
    "habite habiter vis adresse ville maison appartement domicile demenage", "travail travaille metier emploi employeur entreprise", "appelle nom prenom", "manger repas diner restaurant allergique allergie",
    "vivo vivir vive direccion ciudad casa piso domicilio mudado", "trabajo trabajar empleo empresa profesion", "llamo llama nombre", "comer comida cena restaurante alergico alergia",
    "живу жить живет адрес город дом квартира переехал", "работаю работа профессия компания", "зовут имя",
    "oturuyorum yasiyorum adres sehir ev tasindim", "calisiyorum is meslek sirket",
    "اعيش اسكن عنوان مدينه بيت منزل", "اعمل وظيفه عمل شركه", "גר גרה כתובת עיר בית", "עובד עובדת עבודה מקצוע",
    "wheelchair accessible accessibility access ramp stairs lift venue step", "rent lease landlord flat apartment", "bank account money",
    "wedding marriage married anniversary",
)  # fmt: skip

KINDS_OF: Mapping[str, str] = {
    "dog pet": "beagle greyhound labrador poodle terrier spaniel collie husky dachshund retriever pug bulldog corgi whippet dalmatian rottweiler schnauzer",
    "pet animal": "parrot budgie canary hamster rabbit tortoise guinea ferret gecko",
    "music": "jazz rock pop reggae blues techno folk metal opera classical punk soul rap",
    "instrument play": "piano guitar violin cello flute drums trumpet saxophone clarinet harp banjo accordion ukulele viola oboe",
    "car vehicle drive": "skoda volvo fiat toyota ford honda audi bmw mazda dacia renault peugeot nissan hyundai tesla volkswagen kia opel subaru citroen",
    "alcohol drink": "wine beer whisky whiskey liquor cocktail champagne cider gin vodka rum",
    "herb spice": "coriander cilantro basil parsley mint dill thyme oregano cumin",
    "fruit": "apple banana cherry kiwi mango orange peach pear plum strawberry grape pineapple",
    "nut food": "peanut peanuts walnut almond hazelnut cashew pistachio",
    "child son daughter": "twin twins boy boys girl girls",
    "database storage": "postgres postgresql mysql sqlite mongodb redis mariadb oracle dynamodb cassandra duckdb",
    "programming language": "python java ruby rust golang kotlin swift typescript javascript php scala haskell elixir",
    "editor ide": "vim emacs helix vscode intellij neovim pycharm sublime",
    "framework": "django rails react vue angular svelte flask spring laravel",
    "cloud hosting provider": "aws azure gcp heroku hetzner netlify vercel",
    "sport": "football tennis basketball swimming climbing bouldering badminton hockey rugby cricket volleyball judo karate",
}  # fmt: skip
"""Words for kinds of things, and things of the kind. A question for the kind finds its things; one for a thing does not find another."""

SAME_WORDS: tuple[str, ...] = (
    "eat ate eaten", "drive drove driven", "meet met", "teach taught", "speak spoke spoken", "fly flew flown", "sell sold", "write wrote written", "buy bought", "wear wore worn",
    "choose chose chosen", "begin began begun", "swim swam", "run ran", "ride rode", "leave left", "lose lost", "pay paid", "send sent", "sleep slept", "spend spent", "build built",
    "break broke broken", "bring brought", "catch caught", "child children", "mouse mice", "foot feet", "tooth teeth", "person people", "drink drank", "grow grew grown", "win won",
    "hold held", "lend lent", "keep kept", "make made", "take took taken", "come came", "think thought", "feel felt", "find found", "give gave given", "see saw seen", "sing sang",
    "knife knives", "wife wives", "leaf leaves", "colour color", "favourite favorite", "organise organize", "centre center", "theatre theater", "grey gray", "licence license",
    "programme program", "neighbour neighbor", "metre meter", "litre liter", "cheque check", "tyre tire", "mum mom", "television tv", "telephone phone", "fridge refrigerator", "vet veterinarian",
)  # fmt: skip
"""English words whose forms or spellings a stemmer keeps apart."""

NEW_STATE: tuple[str, ...] = (
    "now", "nowadays", "these days", "from now on", "as of today", "since then", "instead", "by now", "meanwhile",
    "jetzt", "nun", "inzwischen", "mittlerweile", "neuerdings", "ab sofort", "stattdessen",
    "maintenant", "désormais", "dorénavant", "à présent", "depuis peu",
    "ahora", "actualmente", "desde ahora", "a partir de ahora", "adesso", "ora", "ormai", "agora", "atualmente",
    "nu", "voortaan", "teraz", "numera", "nyt", "nykyään", "artık", "şimdi", "теперь", "сейчас", "ныне", "отныне", "πλέον", "τώρα",
    "الآن", "حاليا", "עכשיו", "अब", "今は", "今では", "現在", "これから", "现在", "如今", "改成", "改为", "改為", "지금은", "이제",
)  # fmt: skip
"""Adverbs of a new state (closed class; dictionaries s.v. now), as they are written."""
ENDED: tuple[str, ...] = (
    "no longer", "not any more", "not anymore", "any more", "anymore", "any longer", "stopped", "quit", "gave up", "given up", "nicht mehr", "kein mehr", "ya no", "non più", "já não", "não mais", "niet meer",
    "już nie", "inte längre", "больше не", "уже не", "لم أعد", "もう", "不再",
)  # fmt: skip
"""The same for a state that is over."""
MADE_NEW: tuple[str, ...] = (
    "changed", "switched", "moved", "raised", "increased", "lowered", "reduced", "cut", "bumped", "pushed", "postponed", "went up", "gone up", "went down", "gone down", "rose", "fell",
    "dropped", "grew", "grown", "became", "renamed", "replaced", "updated", "reset", "migrated",
)  # fmt: skip
"""English verbs of making something different (WordNet, s.v. change, increase, decrease), in the past."""

CALENDAR_WORDS = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays weekend weekday january february march april june july
    august september october november december morning mornings afternoon afternoons evening evenings night nights noon midnight today tomorrow yesterday tonight week weeks month
    months year years day days hour hours time date montag dienstag mittwoch donnerstag freitag samstag sonntag morgen abend woche monat jahr uhr lundi mardi mercredi jeudi vendredi
    samedi dimanche matin soir semaine mois heure lunes martes miercoles jueves viernes sabado domingo manana tarde noche semana mes hora понедельник вторник среда четверг пятница
    суббота воскресенье утро вечер неделя
    """.split()
)
"""Words that say when: sharing only these is no sign of the same subject, and naming one names no subject."""

OTHER_PEOPLE = frozenset(
    """
    brother sister sibling mother mum mom father dad parent parents grandmother grandma grandfather grandpa aunt uncle cousin niece nephew wife husband spouse partner girlfriend
    boyfriend fiance fiancee son daughter child children kid kids friend friends colleague colleagues coworker neighbour neighbor neighbours neighbors boss manager roommate flatmate
    landlord teacher client customer
    """.split()
)
"""A sentence of the form "my brother …" is about somebody else than the speaker."""

FIRST_PERSON: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "english": "i im ive id ill my me mine myself we were our ours us",
        "german": "ich mein meine meinen meinem meiner meines mir mich wir uns unser unsere unserem",
        "french": "je j moi mon ma mes nous notre nos",
        "spanish": "yo mi mis me nuestro nuestra nos",
        "italian": "io mio mia miei mie mi nostro nostra",
        "portuguese": "eu meu minha meus minhas me nosso nossa",
        "dutch": "ik mijn mij me wij we ons onze",
        "swedish": "jag min mitt mina mig vi vår",
        "finnish": "mina minun minulla minut minua meidan",
        "turkish": "ben benim bana beni bizim biz",
        "polish": "ja moj moja moje mnie nasz",
        "russian": "я мои моя мое меня мне моем моеи мы наш",
        "greek": "εγω μου μας",
        "arabic": "انا لي عندي",
        "hebrew": "אני שלי לי",
        "hindi": "मैं मेरा मेरी मेरे मुझे हम",
    }.items()
}
"""Words by which a question is about the asker's own affairs, by language."""
INTERROGATIVES = frozenset(
    "who whom whose what where when which how wer wem wen wo wohin wann was welche welcher welches welchen wie wieviel "
    "qui que quoi ou quand quel quelle quels quelles comment combien quien que donde cuando cual cuales como cuanto cuanta "
    "chi cosa dove quando quale quali come quanto quem onde qual waar wie wanneer welk welke hoe vem vad var nar vilken hur "
    "кто что где куда когда какои какая какое какие как сколько чеи".split()
)
"""Words with which a part of a question asks for something of its own (closed class; grammars s.v. interrogative), as `fold` writes them."""
PRONOUN_DROPPING = frozenset(["spanish", "italian", "portuguese", "turkish", "polish", "finnish", "greek", "arabic", "hebrew"])
"""Languages in which the verb alone says who is meant, so that a question need not show whose affairs it is about."""
FIRST_PERSON_UNSPACED = ("我", "私", "僕", "俺", "わたし", "ぼく", "ฉัน", "ผม")
FIRST_PERSON_KOREAN = frozenset(["저", "제", "나", "내", "우리", "저희"])
