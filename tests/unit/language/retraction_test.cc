#include "language/statements/retraction.h"

#include <gtest/gtest.h>

namespace anima::language::retraction_test {
namespace {

TEST(Retractions, AreCertainWhereAClauseSaysNothingElse) {
  for (const char* sentence : {"That is a lie.",
                               "That's a lie!",
                               "That is a big lie.",
                               "Liar!",
                               "You liar!",
                               "JK",
                               "J/K",
                               "April fool!",
                               "April fools!",
                               "Forget what I said.",
                               "That is not correct.",
                               "You should not believe a word of that.",
                               "Don't believe a word of it.",
                               "Just kidding.",
                               "It was only a joke.",
                               "I made it all up.",
                               "No.",
                               "No, it isn't.",
                               "Nope",
                               "Wrong.",
                               "No, no, no!",
                               "That was wrong.",
                               "Ada works at Initech, just kidding.",
                               "That's not right.",
                               "Das ist gelogen.",
                               "Das ist eine große Lüge.",
                               "Lügner!",
                               "April, April!",
                               "Stimmt nicht.",
                               "Nein, tut sie nicht.",
                               "Vergiss, was ich gesagt habe.",
                               "Glaub kein Wort davon.",
                               "Es mentira.",
                               "No es verdad.",
                               "¡Mentiroso!",
                               "Olvida lo que dije.",
                               "No.",
                               "C'est faux.",
                               "Ce n'est pas vrai.",
                               "Menteur !",
                               "Oubliez ce que j'ai dit.",
                               "Poisson d'avril !",
                               "这是假的。",
                               "那不是真的。",
                               "骗子！",
                               "不是",
                               "我在开玩笑。",
                               "别信！"})
    EXPECT_EQ(retraction_in(sentence), Retraction::kCertain) << sentence;
}

TEST(Retractions, ArePossibleWhereMoreIsSaid) {
  for (const char* sentence :
       {"Ben says that is a lie.", "I think that is a lie.", "If that is a lie, I leave.",
        "It was wrong and Ben left.", "No, really!", "No, that is not a lie.", "Nein, wirklich!",
        "He made that up about Ben.", "Not now.", "Das ist falsch abgebogen.",
        "Creo que es mentira.", "Non, vraiment !", "他走错了路。"})
    EXPECT_EQ(retraction_in(sentence), Retraction::kPerhaps) << sentence;
}

TEST(Retractions, AreNoneWhereTheyAreDeniedAskedOrNotThere) {
  for (const char* sentence : {"I am not kidding.",
                               "It is not a lie.",
                               "That is not a joke.",
                               "That's no joke.",
                               "No wonder.",
                               "No kidding!",
                               "No sugar for me.",
                               "Nothing happened on Monday.",
                               "Is that a joke?",
                               "Don't forget that.",
                               "Never forget that.",
                               "I forget that.",
                               "It was wrong of him.",
                               "Das ist keine Lüge.",
                               "Das ist nicht gelogen.",
                               "Kein Wunder.",
                               "Ist das gelogen?",
                               "No es broma.",
                               "No es mentira.",
                               "Ce n'est pas une blague.",
                               "Ce n'est pas faux.",
                               "这不是开玩笑。",
                               "这不是假的。",
                               "这是假的吗？",
                               "",
                               "Ada likes tea."})
    EXPECT_EQ(retraction_in(sentence), Retraction::kNone) << sentence;
}

}  // namespace
}  // namespace anima::language::retraction_test
